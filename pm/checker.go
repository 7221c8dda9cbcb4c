package pm

import (
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Checker is what a recipient knows when it checks a payment.
type Checker struct {
	// Recipient is the payee.
	Recipient core.Address
	// L1 is the newest layer-1 block, Round the last initialized round.
	L1    protocol.L1Block
	Round protocol.Round
	// Funds are the sender's.
	Funds protocol.SenderFunds
}

// Verdict is the result for a payment's tickets.
type Verdict struct {
	// Accepted are the nonces of the tickets that are to be credited; Nonces has
	// them.
	Accepted []uint32
	// Winners are indexes into Payment.Tickets: the tickets that won, including those that are
	// not credited because of their nonce or age. A ticket that was seen before is listed
	// again; its hash identifies it.
	Winners []int
	// Refused is the last error, a *fault.Fault; nil when there was none.
	Refused error
}

// Tickets checks a payment's tickets in the network's order: sender, recipient and parameters,
// which are the same for all of them, then each one's signature, nonce and age. After the first
// error no ticket is credited; the rest is still checked, because it may win, unless too many
// are not the sender's at all.
//
// rand is what RecipientRand gives for the payment's parameters, its sender and its price;
// retired says that it came from the secret of an earlier epoch, whose tickets count as
// expired. nonces are those credited under the parameters; it may be nil if retired is true.
// Tickets without any value are skipped.
//
// Call Payment.Check first. Tickets is Read and Verify in one.
func (c *Checker) Tickets(p *Payment, rand protocol.Word, retired bool, nonces *Nonces) Verdict {
	return c.Read(p, rand, retired).Verify(nonces)
}

// Reading is what a payment's tickets show by themselves, before their nonces are checked.
type Reading struct {
	payment *Payment
	// expired: none is credited, because of their age.
	expired bool
	// fatal applies to all tickets; they are then not read.
	fatal   error
	tickets []ticketCheck
}

// ticketCheck is the result of reading one ticket.
type ticketCheck struct{ signed, wins bool }

// maxBadSignatures is how many tickets of one payment may have a bad signature before the rest
// is skipped and counts as unsigned. No honest sender makes such tickets, and each costs as
// much as a valid one.
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
	v := newVerifier(p, rand)
	for i, bad := 0, 0; i < len(p.Tickets) && bad < maxBadSignatures; i++ {
		found.tickets[i].signed, found.tickets[i].wins = v.verify(&p.Tickets[i])
		if !found.tickets[i].signed {
			bad++
		}
	}
	return found
}

// Signed is how many of the tickets the sender signed, whether or not they are credited.
func (r *Reading) Signed() (n int) {
	for _, t := range r.tickets {
		if t.signed {
			n++
		}
	}
	return n
}

// Verify does the rest of Tickets. It adds the accepted nonces; if nonces is nil the tickets
// count as expired.
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
			// checkNonce succeeded, so Add cannot fail.
			_ = nonces.Add(nonce)
			v.Accepted = append(v.Accepted, nonce)
		}
	}
	return v
}

// fatal checks what is the same for all tickets of a payment.
func (c *Checker) fatal(p *Payment, rand protocol.Word) error {
	switch {
	case UnlocksSoon(c.Funds.WithdrawRound, c.Round):
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
	return RandHash(rand) == terms.RecipientRandHash && terms.hasIssuedForm(p.price())
}

// checkNonce checks the nonce and the age of a signed ticket.
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
