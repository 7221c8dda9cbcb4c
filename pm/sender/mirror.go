package sender

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

const (
	// creditIdle is how long a credit that nobody uses is counted on. Orchestrators
	// close idle accounts after 10 minutes by their own clock, which started a little
	// earlier than ours, and then the credit is gone.
	creditIdle = 10*time.Minute - 30*time.Second
	// debtIdle is how long a debt is: some orchestrators look every 10 minutes only.
	debtIdle = 21 * time.Minute
	// maxAccounts bounds the balances at one orchestrator, maxAccountsAll those at all.
	maxAccounts, maxAccountsAll = 1 << 14, 1 << 18
)

// account mirrors a balance that an orchestrator keeps. It is guarded by Sender.mu.
// It is never above the orchestrator's own while that keeps the rules: what is in
// doubt is left out.
type account struct {
	value  pm.Value
	inHand int
	used   time.Time
	owner  string // see accountRoom
}

// over reports whether an orchestrator may have closed the account.
func (a *account) over(now time.Time) bool {
	idle := now.Sub(a.used)
	if a.value.Sign() < 0 {
		return idle >= debtIdle
	}
	return idle >= creditIdle
}

// takeOut takes all there is out of a balance while a job is in hand, so that no
// other job counts on it. The error is the fault SessionsTooMany.
func (s *Sender) takeOut(t *Terms, now time.Time) (taken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[t.account()]
	switch {
	case a == nil:
		if !s.accountRoom.enter(t.owner()) {
			return taken{}, fault.New(fault.SessionsTooMany, "make payment", "balances at "+t.Peer)
		}
		a = &account{owner: t.owner()}
		s.accounts[t.account()] = a
	case a.inHand == 0 && a.over(now):
		a.value = pm.Value{}
	}
	out := taken{value: a.value, at: now, before: a.used}
	a.value, a.used = pm.Value{}, now
	a.inHand++
	return out, nil
}

// taken is what a job took out of a balance, and when, and when that was used before.
type taken struct {
	value      pm.Value
	at, before time.Time
}

// restore ends the part of a job of which the orchestrator never heard: for it the
// balance was not used.
func (s *Sender) restore(k accountKey, t taken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k] // a job in hand keeps it
	a.value = a.value.Add(t.value)
	a.inHand--
	if a.used.Equal(t.at) && !t.before.IsZero() {
		a.used = t.before
	}
}

// putBack ends a job's part in a balance and puts in what is left.
func (s *Sender) putBack(k accountKey, left pm.Value, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k] // a job in hand keeps it
	a.value, a.used = a.value.Add(left), now
	a.inHand--
}

// undo is restore for a payment that was not made: a balance that is only there
// because it was tried goes again.
func (s *Sender) undo(k accountKey, t taken) {
	s.restore(k, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[k]; a != nil && a.inHand == 0 && a.value.Sign() == 0 {
		s.forgetAccount(k)
	}
}

// distrust empties a balance of which a job took out so much: the orchestrator says
// that it holds less. What was owed there still is.
func (s *Sender) distrust(k accountKey, existing pm.Value, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k]
	a.value, a.used = debt(a.value).Add(debt(existing)), now
	a.inHand--
}

// forgetAccount forgets a balance. It is called with the lock held.
func (s *Sender) forgetAccount(k accountKey) {
	s.accountRoom.leave(s.accounts[k].owner)
	delete(s.accounts, k)
}
