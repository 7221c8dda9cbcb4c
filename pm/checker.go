package pm

import (
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Checker is what a recipient knows when it looks at a payment.
type Checker struct {
	// Recipient is who is to be paid.
	Recipient core.Address
	// L1 is the newest layer-1 block, Round the last initialised round.
	L1    protocol.L1Block
	Round protocol.Round
	// Funds are the sender's.
	Funds protocol.SenderFunds
}

// Verdict is what became of a payment's tickets.
type Verdict struct {
	// Accepted are the nonces of the tickets that are to be credited; Nonces has
	// them.
	Accepted []uint32
	// Winners are indexes into Payment.Tickets: the tickets that won, also of those
	// that are not credited for their nonce or their age. A ticket that was seen
	// before is told again; by its hash it is known.
	Winners []int
	// Refused is the last error, a *fault.Fault; nil when there was none.
	Refused error
}

// Tickets checks a payment's tickets in the network's order: sender, recipient and
// parameters, which are the same for all of them, then each one's signature, nonce
// and age. After the first error no ticket is credited; but the rest is looked
// at, because it may win, unless too many are not the sender's at all.
//
// rand is what RecipientRand gives for the payment's parameters, its sender and its
// price; retired says that it came from the secret of an epoch before, whose tickets
// count as expired. nonces are those credited under the parameters; it may be nil
// where retired is true. Tickets without any value are not looked at.
//
// Payment.Check comes first. It is Read and Judge in one.
func (c *Checker) Tickets(p *Payment, rand protocol.Word, retired bool, nonces *Nonces) Verdict {
	return c.Read(p, rand, retired).Verify(nonces)
}

// Reading is what a payment's tickets say by themselves, before anybody looks which
// of them were seen.
type Reading struct {
	payment *Payment
	// expired says that none is credited for its age.
	expired bool
	// fatal stands for all tickets; those are then not read.
	fatal   error
	tickets []ticketCheck
}

// look is what was found of one ticket.
type ticketCheck struct{ signed, wins bool }

// mostBad is how many tickets of one payment may have a bad signature before the rest
// is not read: it counts as unsigned. Nobody makes such tickets in good faith, and each
// costs as much as one that is worth something.
const maxBadSignatures = 16

// Read does the part of Tickets that takes time and needs no nonces, so that
// payments under the same parameters can be read at once.
func (c *Checker) Read(p *Payment, rand protocol.Word, retired bool) *Reading {
	if p.Params == nil || len(p.Tickets) == 0 || p.Params.worthless() {
		return &Reading{payment: p}
	}
	found := &Reading{payment: p, expired: retired || p.Params.ExpirationBlock <= c.L1, fatal: c.fatal(p, rand)}
	if found.fatal != nil {
		return found
	}
	found.tickets = make([]ticketCheck, len(p.Tickets))
	r := newReader(p, rand)
	for i, bad := 0, 0; i < len(p.Tickets) && bad < maxBadSignatures; i++ {
		found.tickets[i].signed, found.tickets[i].wins = r.read(&p.Tickets[i])
		if !found.tickets[i].signed {
			bad++
		}
	}
	return found
}

// Judge is the rest of Tickets. It takes the accepted nonces in; where nonces is nil
// the tickets count as expired.
func (r *Reading) Verify(nonces *Nonces) (v Verdict) {
	v.Refused = r.fatal
	for i, found := range r.tickets {
		if !found.signed {
			v.Refused = fault.New(fault.TicketSignatureInvalid, opCheck, "")
			continue
		}
		if found.wins {
			v.Winners = append(v.Winners, i)
		}
		nonce := r.payment.Tickets[i].Nonce
		if err := checkNonce(r.payment.Sender, nonce, r.expired || nonces == nil, nonces); err != nil {
			v.Refused = err
			continue
		}
		if v.Refused == nil {
			// single has asked, so it cannot fail.
			_ = nonces.Add(nonce)
			v.Accepted = append(v.Accepted, nonce)
		}
	}
	return v
}

// fatal are the checks that all tickets of a payment pass or none does.
func (c *Checker) fatal(p *Payment, rand protocol.Word) error {
	switch w := c.Funds.WithdrawRound; {
	case w != 0 && w <= c.Round+1:
		return fault.New(fault.SenderUnlockingSoon, opCheck,
			"deposit and reserve for sender "+p.Sender.String()+" is set to unlock soon")
	case p.Params.Recipient != c.Recipient:
		return fault.New(fault.TicketForAnother, opCheck, "")
	case p.Sender.IsZero():
		return fault.New(fault.TicketSenderMissing, opCheck, "")
	case !p.issued(rand):
		return fault.New(fault.TicketParamsForeign, opCheck, "")
	}
	return nil
}

// issued reports whether the random number is the one of the parameters, and these
// are as Issue made them.
func (p *Payment) issued(rand protocol.Word) bool {
	terms := p.Terms()
	return RandHash(rand) == terms.RecipientRandHash && terms.issued(p.price())
}

// single are the checks of one ticket that is signed, but for the draw.
func checkNonce(sender core.Address, nonce uint32, expired bool, nonces *Nonces) error {
	switch err := nonces.check(nonce); {
	case errors.Is(err, ErrNonceSeen):
		return refusedNonce(fault.TicketNonceSeen, sender, nonce, err)
	case err != nil:
		return refusedNonce(fault.TicketNonceTooMany, sender, nonce, err)
	case expired:
		return fault.New(fault.TicketParamsStale, opCheck, "")
	}
	return nil
}

// worthless reports whether the expected value is 0.
func (p *Params) worthless() bool { return p.FaceValue.IsZero() || p.WinProb.IsZero() }
