package sender

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// Tickets that are on their way pay for no other job: it might arrive before them. Where the
// orchestrator says at once that it credited them, jobs that cost less than a ticket wait for
// that instead of each bringing a ticket of its own.
const (
	// creditedWait is how long a job waits at most.
	creditedWait = 250 * time.Millisecond
	// maxBatch is how many tickets a payment may have for jobs that wait for it, and batchShare
	// the part of what a payment, or an orchestrator's credit, may come to.
	maxBatch, batchShare = 16, 16
)

// awaitCredit waits while a payment is on its way whose rest may pay for a job. It is called
// with the lock held, and lets go of it while it waits.
func (s *Sender) awaitCreditLocked(ctx context.Context, a *account, t *Terms, cost pm.Value) {
	if !a.mayAwaitCredit(t, cost) {
		return
	}
	a.waiting = a.waiting.Add(cost)
	timer := time.NewTimer(creditedWait)
	defer timer.Stop()
	for over := false; !over && a.mayAwaitCredit(t, cost); {
		if a.changed == nil {
			a.changed = make(chan struct{})
		}
		changed := a.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			over = true
		case <-ctx.Done():
			over = true
		}
		s.mu.Lock()
		a.silent = a.silent || over && ctx.Err() == nil
	}
	a.waiting = a.waiting.Sub(cost)
}

// waits reports whether a job would need a ticket that another one's may replace.
func (a *account) mayAwaitCredit(t *Terms, cost pm.Value) bool {
	return t.Confirms && !a.silent && a.open > 0 && a.value.Sign() >= 0 && cost.Cmp(t.ev) < 0 && a.needsTickets(cost, t.ev)
}

// wake wakes the jobs that wait.
func (a *account) wakeWaiting() {
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

// batch is how many tickets of some worth a payment may have for other jobs.
func (s *Sender) batchTickets(ev pm.Value) int {
	limit := pm.WeiValue(s.opt.Limits.MaxTotalEV)
	if credit := pm.WeiValue(s.opt.Limits.MaxCredit); credit.Sign() > 0 {
		limit = minValue(limit, credit)
	}
	for n := range maxBatch {
		if ev.Times(int64(n+1)*batchShare).Cmp(limit) > 0 {
			return n
		}
	}
	return maxBatch
}

// Credited tells that the orchestrator has credited the tickets: what they are worth more
// than the job costs is there for other jobs. It comes before Settle and from the same
// goroutine; further calls do nothing.
func (p *Payment) Credited() {
	if p.settled.Load() || !p.drawn.open {
		return
	}
	s, took := p.s, &p.drawn
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[p.terms.account()] // a job in progress keeps it
	a.value = a.value.Add(took.value).Add(p.credit).Sub(took.cost)
	a.silent = false
	a.open--
	took.value, took.tickets, p.credit = took.cost, 0, pm.Value{}
	a.count(took, p.terms.ev)
	a.wakeWaiting()
}
