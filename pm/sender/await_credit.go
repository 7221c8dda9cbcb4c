package sender

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// Tickets in flight pay for no other job: it might arrive before them. If the orchestrator
// confirms credited tickets at once, jobs that cost less than a ticket wait for that instead of
// each sending a ticket of its own.
const (
	// creditedWait is how long a job waits at most.
	creditedWait = 250 * time.Millisecond
	// maxBatch is how many tickets a payment may have for waiting jobs, and batchShare the part
	// of the limit of a payment, or of an orchestrator's credit, that they may take.
	maxBatch, batchShare = 16, 16
)

// awaitCreditLocked waits while a payment in flight may leave enough for a job. It releases mu
// while it waits.
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

// mayAwaitCredit reports whether a job lacks a ticket that a payment in flight may replace.
func (a *account) mayAwaitCredit(t *Terms, cost pm.Value) bool {
	return t.Confirms && !a.silent && a.open > 0 && a.value.Sign() >= 0 && cost.Cmp(t.ev) < 0 && a.needsTickets(cost, t.ev)
}

// wakeWaiting wakes the waiting jobs.
func (a *account) wakeWaiting() {
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

// batchTickets returns how many tickets of an expected value a payment may have for other jobs.
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

// Credited says that the orchestrator has credited the tickets: their value beyond the job's
// cost is available for other jobs. Call it before Settle and from the same goroutine; further
// calls do nothing.
func (p *Payment) Credited() {
	if p.settled.Load() || !p.drawn.open {
		return
	}
	s, took := p.s, &p.drawn
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[p.terms.account()] // a job in progress keeps it
	a.value = a.value.Add(took.value).Add(p.credit).Sub(took.cost)
	a.silent, a.used = false, s.opt.Now()
	a.open--
	took.value, took.tickets, p.credit = took.cost, 0, pm.Value{}
	a.count(took, p.terms.ev)
	a.wakeWaiting()
}
