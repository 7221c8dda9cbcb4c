package recipient

import (
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// longestKey bounds an account's name, which may be of a gateway's choosing.
const longestKey = 512

// accounts are the open accounts. Whoever uses one has it pinned: it is closed only
// when nobody has, so that no entry of it comes into the books after its closing.
type accounts struct {
	limits Limits
	book   func(pm.Entries)
	now    func() time.Time
	// round is the one of this moment.
	round func() protocol.Round

	mu sync.Mutex
	// open and payers, and what account says of itself. Guarded by mu.
	open map[pm.Account]*account
	// payers are the gateways that have an account open, or owe something.
	payers map[core.Address]*payer
}

func newAccounts(limits Limits, book func(pm.Entries), now func() time.Time, round func() protocol.Round) *accounts {
	return &accounts{limits: limits, book: book, now: now, round: round, open: make(map[pm.Account]*account),
		payers: make(map[core.Address]*payer)}
}

// restore takes over what the ledger remembers. An account that was idle for long
// enough to be closed holds nothing any more, and neither does one with money in an
// older copy of the ledger: that may have been spent since.
func (s *accounts) restore(o *pm.Opening) {
	now := s.now()
	// A clock that was ahead must not keep anything for as long as it was.
	past := func(t time.Time) time.Time {
		if t.After(now) {
			return now
		}
		return t
	}
	for _, d := range o.Debts {
		s.payer(d.Sender).recent.add(period{first: past(d.First), last: past(d.Last), paid: d.Paid, kept: d.Kept,
			given: d.Given})
	}
	for _, b := range o.Balances {
		a := s.add(b.Account)
		a.used = past(b.Used)
		a.stale = now.Sub(b.Used) >= idleAccount || o.Restored && b.Value.Sign() > 0
		a.change(b.Value)
	}
}

// add opens an account. The caller holds mu, or is the only one.
func (s *accounts) add(id pm.Account) *account {
	p := s.payer(id.Sender)
	p.accounts++
	a := &account{id: id, payer: p}
	s.open[id] = a
	return a
}

// payer finds a gateway or adds it. The caller holds mu, or is the only one.
func (s *accounts) payer(sender core.Address) *payer {
	p := s.payers[sender]
	if p == nil {
		p = &payer{now: s.now}
		s.payers[sender] = p
	}
	return p
}

// openOf is how many accounts a gateway has open. The caller holds mu.
func (s *accounts) openOf(sender core.Address) int {
	if p := s.payers[sender]; p != nil {
		return p.accounts
	}
	return 0
}

// pin finds an account and keeps it open until unpin. Where there is none it opens
// one or, when it shall not, returns nil. The error is the fault AccountsFull, or
// PaymentRefused for a name that nobody needs.
func (s *accounts) pin(id pm.Account, create bool) (*account, error) {
	const op = "open an account"
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a != nil && a.stale && a.pins == 0 {
		s.book(pm.Entries{Closings: []pm.Closing{s.close(a, s.now(), s.round())}})
		a = nil
	}
	if a == nil {
		switch {
		case !create:
			return nil, nil
		case len(id.Key) > longestKey:
			return nil, fault.New(fault.PaymentRefused, op, "the name of the account is too long")
		case len(s.open) >= s.limits.Accounts, s.openOf(id.Sender) >= s.limits.AccountsPerSender:
			return nil, fault.New(fault.AccountsFull, op, "")
		}
		a = s.add(id)
	}
	a.pins++
	return a, nil
}

// unpin lets go of an account; nil is none. One that nothing was booked in was none:
// only a payment that was worth something leaves an account behind.
func (s *accounts) unpin(a *account, now time.Time) {
	if a == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.pins--
	a.used = now
	if a.pins == 0 && !a.booked {
		s.remove(a)
	}
}

func (s *accounts) remove(a *account) {
	delete(s.open, a.id)
	a.payer.accounts--
	s.forget(a.id.Sender, a.payer)
}

// forget drops a gateway that has no account open and owes nothing. The caller holds
// mu.
func (s *accounts) forget(sender core.Address, p *payer) {
	if p.accounts == 0 && p.over(s.now()) {
		delete(s.payers, sender)
	}
}

// closeIdle ends the accounts that nobody used since a time.
func (s *accounts) closeIdle(since, now time.Time, round protocol.Round) (closed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e pm.Entries
	for _, a := range s.open {
		if a.pins > 0 || a.used.After(since) && !a.stale {
			continue
		}
		e.Closings = append(e.Closings, s.close(a, now, round))
	}
	s.forgive()
	if len(e.Closings) > 0 {
		// Under the lock: an account of the same name that is opened from here on must
		// come after this in the books.
		s.book(e)
	}
	return len(e.Closings)
}

// close ends an account that nobody has pinned. The caller holds mu, and books what is
// returned.
func (s *accounts) close(a *account, now time.Time, round protocol.Round) pm.Closing {
	a.payer.close(a.balance, a.stale, now)
	s.remove(a)
	return pm.Closing{Account: a.id, Left: a.balance, Stale: a.stale, Round: round, At: now}
}

// forgive forgets debts of long ago, and of who owes longest where there are too many
// debtors. The caller holds mu.
func (s *accounts) forgive() {
	var debtors []core.Address
	for sender, p := range s.payers {
		if s.forget(sender, p); p.accounts == 0 && s.payers[sender] != nil {
			debtors = append(debtors, sender)
		}
	}
	if len(debtors) <= debtorsMost {
		return
	}
	// Nobody else touches a payer without an account.
	slices.SortFunc(debtors, func(a, b core.Address) int { return s.payers[a].newest().Compare(s.payers[b].newest()) })
	for _, sender := range debtors[:len(debtors)-debtorsMost] {
		delete(s.payers, sender)
	}
}

// free is what a job could use of its account; of one that is not open, nothing, or less
// where its gateway owes something.
func (s *accounts) free(job *pm.Job) pm.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.open[job.Account]; a != nil && !a.stale {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.freeFor(job)
	}
	if p := s.payers[job.Account.Sender]; p != nil {
		return p.owes(pm.Value{}).Neg()
	}
	return pm.Value{}
}

// all are the open accounts at this moment, and when each was used last.
func (s *accounts) all() (all []*account, used []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.open {
		all, used = append(all, a), append(used, a.used)
	}
	return all, used
}
