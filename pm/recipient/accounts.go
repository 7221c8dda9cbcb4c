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

// maxKeyBytes bounds an account's name, which the gateway may choose.
const maxKeyBytes = 512

// accounts are the open accounts. A user pins an account: it is closed only while it is not
// pinned, so that no entry of it follows its closing in the ledger.
type accounts struct {
	limits Limits
	book   func(pm.Entries)
	now    func() time.Time
	// round returns the present round.
	round func() protocol.Round

	mu sync.Mutex
	// Guarded by mu, as are the fields that account names.
	open map[pm.Account]*account
	// payers are the gateways that have an account open, or owe something.
	payers map[core.Address]*payer
}

func newAccounts(limits Limits, book func(pm.Entries), now func() time.Time, round func() protocol.Round) *accounts {
	return &accounts{limits: limits, book: book, now: now, round: round, open: make(map[pm.Account]*account),
		payers: make(map[core.Address]*payer)}
}

// restore loads what the ledger remembers. Accounts that were idle for long enough to be closed
// are stale, and so are those with money in an older copy of the ledger: it may have been spent
// since.
func (s *accounts) restore(o *pm.Opening) {
	now := s.now()
	// A clock that was ahead must not extend anything.
	past := func(t time.Time) time.Time {
		if t.After(now) {
			return now
		}
		return t
	}
	for _, d := range o.Debts {
		s.payerLocked(d.Sender).recent.add(period{first: past(d.First), last: past(d.Last), paid: d.Paid, kept: d.Kept,
			given: d.Given})
	}
	for _, b := range o.Balances {
		a := s.addLocked(b.Account)
		a.used = past(b.Used)
		for _, session := range b.Sessions {
			if a.before == nil {
				a.before = new(fund)
			}
			a.before.sessions.add(session) // the last ones are kept
		}
		a.stale = now.Sub(b.Used) >= idleAccount || o.Restored && b.Value.Sign() > 0
		a.changeLocked(b.Value)
	}
}

// addLocked opens an account.
func (s *accounts) addLocked(id pm.Account) *account {
	p := s.payerLocked(id.Sender)
	p.accounts++
	a := &account{id: id, payer: p}
	s.open[id] = a
	return a
}

// payerLocked finds a gateway or adds it.
func (s *accounts) payerLocked(sender core.Address) *payer {
	p := s.payers[sender]
	if p == nil {
		p = &payer{now: s.now}
		s.payers[sender] = p
	}
	return p
}

// openCountLocked returns how many accounts a gateway has open.
func (s *accounts) openCountLocked(sender core.Address) int {
	if p := s.payers[sender]; p != nil {
		return p.accounts
	}
	return 0
}

// pin finds an account and keeps it open until unpin. If there is none, it opens one if create
// is set, or returns nil. The error is the fault AccountsFull, or PaymentRefused for a name
// that is too long.
func (s *accounts) pin(id pm.Account, create bool) (*account, error) {
	const op = "open an account"
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a != nil && a.stale && a.pins == 0 {
		s.book(pm.Entries{Closings: []pm.Closing{s.closeLocked(a, s.now(), s.round())}})
		a = nil
	}
	if a == nil {
		switch {
		case !create:
			return nil, nil
		case len(id.Key) > maxKeyBytes:
			return nil, fault.New(fault.PaymentRefused, op, "the name of the account is too long")
		case len(s.open) >= s.limits.Accounts, s.openCountLocked(id.Sender) >= s.limits.AccountsPerSender:
			return nil, fault.New(fault.AccountsFull, op, "")
		}
		a = s.addLocked(id)
	}
	a.pins++
	return a, nil
}

// unpin releases an account; nil is none. An account without entries is removed: only a payment
// that was worth something leaves one behind.
func (s *accounts) unpin(a *account, now time.Time) {
	if a == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.pins--
	a.used = now
	if a.pins == 0 && !a.booked {
		s.removeLocked(a)
	}
}

func (s *accounts) removeLocked(a *account) {
	delete(s.open, a.id)
	a.payer.accounts--
	s.dropPayerLocked(a.id.Sender, a.payer)
}

// dropPayerLocked drops a gateway that has no account open and owes nothing.
func (s *accounts) dropPayerLocked(sender core.Address, p *payer) {
	if p.accounts == 0 && p.clear(s.now()) {
		delete(s.payers, sender)
	}
}

// closeIdle closes the accounts that were not used since a time.
func (s *accounts) closeIdle(since, now time.Time, round protocol.Round) (closed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e pm.Entries
	for _, a := range s.open {
		if a.pins > 0 || a.used.After(since) && !a.stale {
			continue
		}
		e.Closings = append(e.Closings, s.closeLocked(a, now, round))
	}
	s.dropDebtorsLocked()
	if len(e.Closings) > 0 {
		// Under the lock: an account of the same name that is opened later must follow this in
		// the ledger.
		s.book(e)
	}
	return len(e.Closings)
}

// closeLocked closes an account that is not pinned. The caller records the returned entry.
func (s *accounts) closeLocked(a *account, now time.Time, round protocol.Round) pm.Closing {
	a.payer.close(a.balance, a.stale, now)
	s.removeLocked(a)
	return pm.Closing{Account: a.id, Left: a.balance, Stale: a.stale, Round: round, At: now}
}

// dropDebtorsLocked drops old debts, and the oldest debtors if there are too many.
func (s *accounts) dropDebtorsLocked() {
	var debtors []core.Address
	for sender, p := range s.payers {
		if s.dropPayerLocked(sender, p); p.accounts == 0 && s.payers[sender] != nil {
			debtors = append(debtors, sender)
		}
	}
	if len(debtors) <= maxDebtors {
		return
	}
	// Only this lock guards a payer without an account.
	slices.SortFunc(debtors, func(a, b core.Address) int { return s.payers[a].newest().Compare(s.payers[b].newest()) })
	for _, sender := range debtors[:len(debtors)-maxDebtors] {
		delete(s.payers, sender)
	}
}

// free returns the part of its account's balance that a job could use. For an account that is not open
// it is zero, or negative if its gateway owes something.
func (s *accounts) free(job *pm.Job) pm.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.open[job.Account]; a != nil && !a.stale {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.freeForLocked(job)
	}
	if p := s.payers[job.Account.Sender]; p != nil {
		return p.owedElsewhere(pm.Value{}).Neg()
	}
	return pm.Value{}
}

// all returns the open accounts, and when each was used last.
func (s *accounts) all() (all []*account, used []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.open {
		all, used = append(all, a), append(used, a.used)
	}
	return all, used
}
