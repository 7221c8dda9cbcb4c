package recipient

import (
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

	mu sync.Mutex
	// open and perSender, and what account says of itself. Guarded by mu.
	open      map[pm.Account]*account
	perSender map[core.Address]int
}

func newAccounts(limits Limits, book func(pm.Entries), balances []pm.Balance) *accounts {
	s := &accounts{limits: limits, book: book, open: make(map[pm.Account]*account), perSender: make(map[core.Address]int)}
	for _, b := range balances {
		s.open[b.Account] = &account{id: b.Account, used: b.Used, balance: b.Value, booked: true}
		s.perSender[b.Account.Sender]++
	}
	return s
}

// pin finds an account and keeps it open until unpin. Where there is none it opens
// one or, when it shall not, returns nil. The error is the fault AccountsFull, or
// PaymentRefused for a name that nobody needs.
func (s *accounts) pin(id pm.Account, create bool) (*account, error) {
	const op = "open an account"
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a == nil {
		switch {
		case !create:
			return nil, nil
		case len(id.Key) > longestKey:
			return nil, fault.New(fault.PaymentRefused, op, "the name of the account is too long")
		case len(s.open) >= s.limits.Accounts, s.perSender[id.Sender] >= s.limits.AccountsPerSender:
			return nil, fault.New(fault.AccountsFull, op, "")
		}
		a = &account{id: id}
		s.open[id] = a
		s.perSender[id.Sender]++
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
	if s.perSender[a.id.Sender]--; s.perSender[a.id.Sender] <= 0 {
		delete(s.perSender, a.id.Sender)
	}
}

// closeIdle ends the accounts that nobody used since a time.
func (s *accounts) closeIdle(since, now time.Time, round protocol.Round) (closed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var e pm.Entries
	for _, a := range s.open {
		if a.pins > 0 || a.used.After(since) {
			continue
		}
		e.Closings = append(e.Closings, pm.Closing{Account: a.id, Left: a.balance, Round: round, At: now})
		s.remove(a)
	}
	if len(e.Closings) > 0 {
		// Under the lock: an account of the same name that is opened from here on must
		// come after this in the books.
		s.book(e)
	}
	return len(e.Closings)
}

// free is what is neither spent nor reserved in an account; nothing where there is
// none.
func (s *accounts) free(id pm.Account) pm.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.open[id]
	if a == nil {
		return pm.Value{}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance.Sub(a.inHand)
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
