package recipient_test

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// reference is what the recipient ought to do, said as plainly as possible and
// without a look at how it does it.
type reference struct {
	ev    pm.Value // of the rule, a whole ticket
	epoch pm.EpochID
	// tallest is the greatest layer-1 block seen so far, expired the one at
	// which the books last put sets away.
	tallest, expired protocol.L1Block

	accounts map[pm.Account]*refAccount
	// dearest is the largest bill of each account so far.
	dearest map[pm.Account]pm.Value
	// taken are the tickets that were credited in this epoch, by set and nonce.
	taken map[protocol.Hash]map[uint32]bool
	// accepted is what all tickets ever credited are worth, billed all work that was
	// booked.
	accepted, billed pm.Value
	winners          map[protocol.Hash]bool
	// given is what closed accounts of a gateway were short of, less what was left in
	// others, since when; paid what it paid. No process of the model runs for a day, after
	// which both are forgotten.
	given, paid map[core.Address]pm.Value
	since       map[core.Address]time.Time
}

type refAccount struct {
	balance, inHand pm.Value
	jobs            int
}

func newReference(ev pm.Value, epoch pm.EpochID) *reference {
	return &reference{ev: ev, epoch: epoch, accounts: make(map[pm.Account]*refAccount),
		dearest: make(map[pm.Account]pm.Value),
		taken:   make(map[protocol.Hash]map[uint32]bool), winners: make(map[protocol.Hash]bool),
		given: make(map[core.Address]pm.Value), paid: make(map[core.Address]pm.Value),
		since: make(map[core.Address]time.Time)}
}

// owes is what a gateway owes outside of one account, where that is more than a
// twentieth of what it paid in a day.
func (r *reference) owes(of pm.Account) pm.Value {
	debt := r.given[of.Sender]
	for other, a := range r.accounts {
		if other.Sender == of.Sender && other != of && a.balance.Sign() < 0 {
			debt = debt.Sub(a.balance)
		}
	}
	if debt.Sign() <= 0 || debt.Times(20).Cmp(r.paid[of.Sender]) <= 0 {
		return pm.Value{}
	}
	return debt
}

// close forgets an account but for what is left in it.
func (r *reference) close(of pm.Account, now time.Time) {
	left := r.accounts[of].balance
	r.given[of.Sender] = r.given[of.Sender].Sub(left)
	if left.Sign() < 0 {
		r.since[of.Sender] = now
	}
	delete(r.accounts, of)
}

// forgive forgets debts of more than a day, and gateways without accounts and debts.
func (r *reference) forgive(open map[core.Address]bool, now time.Time) {
	for sender, debt := range r.given {
		if debt.Sign() > 0 && now.Sub(r.since[sender]) >= 24*time.Hour {
			r.given[sender] = pm.Value{}
		}
	}
	for sender := range r.paid {
		if !open[sender] && r.given[sender].Sign() <= 0 {
			delete(r.given, sender)
			delete(r.paid, sender)
		}
	}
}

func (r *reference) account(of pm.Account) *refAccount {
	if r.accounts[of] == nil {
		r.accounts[of] = new(refAccount)
	}
	return r.accounts[of]
}

// ticket is one as the model sends it.
type ticket struct {
	nonce        uint32
	forged, wins bool
	hash         protocol.Hash
}

// offer is a set of parameters and under which epoch they were made.
type offer struct {
	*session
	epoch pm.EpochID
}

// pay is what has to come of a payment: the code of its refusal, "" for none.
func (r *reference) pay(o *offer, of pm.Account, tickets []ticket, unlocking bool, cost pm.Value) (code fault.Code) {
	if len(tickets) > 0 && unlocking {
		return fault.SenderUnlockingSoon
	}
	var credited int64
	expired := o.epoch != r.epoch || o.terms.ExpirationBlock <= r.tallest
	taken := r.taken[o.terms.RecipientRandHash]
	if taken == nil {
		taken = make(map[uint32]bool)
	}
	for _, t := range tickets {
		if t.forged {
			code = fault.TicketSignatureInvalid
			continue
		}
		if t.wins {
			r.winners[t.hash] = true
		}
		switch {
		case !expired && taken[t.nonce]:
			code = fault.TicketNonceSeen
		case expired:
			code = fault.TicketParamsStale
		case code == "":
			taken[t.nonce] = true
			credited++
		}
	}
	a := r.account(of)
	if credited > 0 {
		r.taken[o.terms.RecipientRandHash] = taken
		v := o.terms.EV().Times(credited)
		a.balance, r.accepted = a.balance.Add(v), r.accepted.Add(v)
		r.paid[of.Sender] = r.paid[of.Sender].Add(v)
	}
	free, needed := a.balance.Sub(a.inHand).Sub(r.owes(of)), r.ev
	if cost.Cmp(needed) > 0 {
		needed = cost
	}
	if code == "" && free.Cmp(needed) < 0 {
		code = fault.InsufficientBalance
	}
	if code == "" {
		a.inHand, a.jobs = a.inHand.Add(cost), a.jobs+1
	}
	return code
}

// end takes a job out of hand and bills it.
func (r *reference) end(of pm.Account, cost, bill pm.Value) {
	a := r.account(of)
	a.inHand, a.jobs = a.inHand.Sub(cost), a.jobs-1
	a.balance, r.billed = a.balance.Sub(bill), r.billed.Add(bill)
	if bill.Cmp(r.dearest[of]) > 0 {
		r.dearest[of] = bill
	}
}

// restart forgets what a process only remembers; the books say what is left.
func (r *reference) restart(balances []pm.Balance) {
	r.tallest = r.expired
	r.epoch++
	clear(r.taken)
	r.accounts = make(map[pm.Account]*refAccount)
	clear(r.given)
	clear(r.paid)
	for _, b := range balances {
		r.account(b.Account).balance = b.Value
	}
}
