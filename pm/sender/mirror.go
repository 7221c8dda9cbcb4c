package sender

import (
	"time"

	"github.com/tuttinode/tutti/pm"
)

const (
	// creditIdle is how long a credit that nobody uses is counted on. Orchestrators
	// close idle accounts after 10 minutes by their own clock, which started a little
	// earlier than ours, and then the credit is gone.
	creditIdle = 10*time.Minute - 30*time.Second
	// debtIdle is how long a debt is: some orchestrators look every 10 minutes only.
	debtIdle = 21 * time.Minute
)

// account mirrors a balance that an orchestrator keeps. It is guarded by Sender.mu.
// It is never above the orchestrator's own while that keeps the rules: what is in
// doubt is left out.
type account struct {
	value  pm.Value
	inHand int
	used   time.Time
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
// other job counts on it.
func (s *Sender) takeOut(k accountKey, now time.Time) pm.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k]
	if a == nil || a.inHand == 0 && a.over(now) {
		a = &account{}
		s.accounts[k] = a
	}
	existing := a.value
	a.value, a.used = pm.Value{}, now
	a.inHand++
	return existing
}

// putBack ends a job's part in a balance and puts in what is left.
func (s *Sender) putBack(k accountKey, left pm.Value, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k] // a job in hand keeps it
	a.value, a.used = a.value.Add(left), now
	a.inHand--
}

// distrust empties a balance: the orchestrator says that it holds less.
func (s *Sender) distrust(k accountKey, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k]
	if a.value.Sign() > 0 {
		a.value = pm.Value{}
	}
	a.used = now
	a.inHand--
}
