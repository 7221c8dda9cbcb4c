package sender

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

const (
	// creditIdle is how long an unused credit is counted on. Orchestrators close idle accounts
	// after 10 minutes by their own clock, which started a little earlier than ours, and then
	// the credit is gone.
	creditIdle = 10*time.Minute - 30*time.Second
	// debtIdle is the same for a debt: some orchestrators check every 10 minutes only.
	debtIdle = 21 * time.Minute
	// maxAccounts bounds the balances at one orchestrator, maxAccountsAll those at all.
	maxAccounts, maxAccountsAll = 1 << 14, 1 << 18
)

// account mirrors a balance that an orchestrator keeps. It is guarded by Sender.mu. It is never
// above the orchestrator's own while that keeps the rules: doubtful amounts are left out, and
// so are the tickets of unanswered jobs.
type account struct {
	value pm.Value
	jobs  int
	// used is when the orchestrator is last known to have used its account, tried when it may
	// last have. Credit expires by the first and debt by the second: a job that was lost may not
	// have arrived.
	used, tried time.Time

	owner string // see accountQuota
	payee string // whose credit it counts on
	// small counts the jobs in progress that were paid for with less than a ticket's worth.
	// Until the last of them ends, floor stays in the balance: orchestrators want a ticket's
	// worth to be there when a job arrives, and jobs may arrive in any order.
	small int
	floor pm.Value
	// open counts the payments whose tickets may not be credited yet; waiting is the cost of
	// the jobs that wait for one of them, see await_credit.go.
	open    int
	waiting pm.Value
	changed chan struct{}
	// silent: the last wait timed out, because the orchestrator does not confirm credited
	// tickets.
	silent bool
}

// expired reports whether an orchestrator may have closed the account.
func (a *account) expired(now time.Time) bool {
	if a.value.Sign() < 0 {
		return a.jobs == 0 && now.Sub(a.tried) >= debtIdle
	}
	return now.Sub(a.used) >= creditIdle
}

// drawBalance takes a job's cost out of a balance while the job runs, so that no other job
// counts on it. The error is the fault SessionsTooMany.
func (s *Sender) drawBalance(ctx context.Context, t *Terms, cost pm.Value, now time.Time) (drawn, error) {
	a, out, err := s.joinAccount(t, now)
	if err != nil || t.Price.Free() {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaitCreditLocked(ctx, a, t, cost)
	out.cost = cost
	out.value, out.tickets = a.draw(cost, t.ev)
	if a.waiting.Sign() != 0 {
		out.others = a.others(&out, t.ev, s.batchTickets(t.ev))
		out.tickets += out.others
	}
	a.count(&out, t.ev)
	return out, nil
}

// Holds reports whether the balance pays for so many units without a ticket.
func (s *Sender) Holds(t *Terms, units int64) bool {
	now := s.opt.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[t.account()]
	return a != nil && !a.expired(now) && !a.needsTickets(t.Price.Cost(max(0, units)), t.ev)
}

// joinAccount adds a job to an account, which stays until the job ends.
func (s *Sender) joinAccount(t *Terms, now time.Time) (*account, drawn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[t.account()]
	switch {
	case a == nil:
		if !s.accountQuota.acquire(t.owner()) {
			return nil, drawn{}, fault.New(fault.SessionsTooMany, "make payment", "balances at "+t.Peer)
		}
		a = &account{owner: t.owner(), payee: t.payee()}
		s.accounts[t.account()] = a
	case a.expired(now):
		s.opt.Book.WriteOff(paymentlog.Idle, a.value)
		a.value = pm.Value{}
	}
	out := drawn{at: now, before: a.tried}
	a.tried = now
	a.jobs++
	return a, out, nil
}

// drawn is what a job took out of a balance and how many tickets it adds, when, and when the
// balance was tried before.
type drawn struct {
	cost, value pm.Value
	tickets     int
	// others is how many of the tickets pay for waiting jobs.
	others int
	// small and open: the account counts it as such.
	small, open bool
	at, before  time.Time
}

// draw takes a job's cost out of the balance, as far as it is there. The rest is paid by
// tickets, and by one at least if less than a ticket's value would be in the balance when the
// job arrives. Of the balance only what whole tickets leave unpaid is taken then: the excess of
// a payment cannot be used before it is credited. The first job pays a debt.
func (a *account) draw(cost, ev pm.Value) (value pm.Value, tickets int) {
	if a.value.Sign() < 0 {
		value, a.value = a.value, pm.Value{}
		return value, max(1, pm.TicketsFor(maxValue(cost, ev), value, ev))
	}
	free := a.available()
	if a.needsTickets(cost, ev) {
		tickets = max(1, pm.TicketsFor(cost, free, ev))
	}
	value = maxValue(minValue(cost.Sub(ev.Times(int64(tickets))), free), pm.Value{})
	a.value = a.value.Sub(value)
	return value, tickets
}

// others returns how many extra tickets, up to batch, a payment may have for the jobs that wait for
// it. A payment of more than one ticket has none: its size is bounded, and it takes a part of
// the balance that depends on the number of tickets.
func (a *account) others(t *drawn, ev pm.Value, batch int) int {
	if t.tickets != 1 || t.value.Sign() != 0 || a.waiting.Sign() == 0 {
		return 0
	}
	return max(0, min(pm.TicketsFor(a.waiting.Add(ev), a.available(), ev)-1, batch))
}

// available returns what jobs may take out.
func (a *account) available() pm.Value { return maxValue(a.value.Sub(a.floor), pm.Value{}) }

// needsTickets reports whether a job needs tickets.
func (a *account) needsTickets(cost, ev pm.Value) bool {
	return a.available().Cmp(cost) < 0 || a.value.Cmp(ev) < 0
}

// count adds a job to the account's counters.
func (a *account) count(t *drawn, ev pm.Value) {
	if t.open = t.tickets > 0; t.open {
		a.open++
		return
	}
	if t.small = t.cost.Cmp(ev) < 0; t.small {
		a.small++
		a.floor = maxValue(a.floor, ev.Sub(t.cost))
	}
}

// end ends a job's draw and returns left to the balance.
func (a *account) end(t drawn, left pm.Value) {
	a.value = a.value.Add(left)
	a.jobs--
	if t.open {
		a.open--
		a.wakeWaiting()
	}
	if !t.small {
		return
	}
	if a.small--; a.small == 0 {
		a.floor = pm.Value{}
	}
}

// maxValue returns the larger of two values.
func maxValue(v, o pm.Value) pm.Value {
	if o.Cmp(v) > 0 {
		return o
	}
	return v
}

// restoreDraw ends the draw of a job that never reached the orchestrator: for it the balance
// was not used.
func (s *Sender) restoreDraw(k accountKey, t drawn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k] // a job in progress keeps it
	a.end(t, t.value)
	if a.tried.Equal(t.at) && !t.before.IsZero() {
		a.tried = t.before
	}
}

// settleDraw ends the draw of a job that the orchestrator answered, and returns what is left.
func (s *Sender) settleDraw(k accountKey, t drawn, left pm.Value, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k] // a job in progress keeps it
	a.end(t, left)
	a.used, a.tried = now, now
}

// loseDraw is settleDraw for a job of which nothing is known but that it was sent.
func (s *Sender) loseDraw(k accountKey, t drawn, left pm.Value, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k] // a job in progress keeps it
	a.end(t, left)
	a.tried = now
}

// cancelDraw is restoreDraw for a payment that was not made: an account that exists only for it
// is dropped.
func (s *Sender) cancelDraw(k accountKey, t drawn) {
	s.restoreDraw(k, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[k]; a != nil && a.jobs == 0 && a.value.Sign() == 0 {
		s.forgetAccountLocked(k)
	}
}

// writeOffBalance empties a balance from which a job drew: the orchestrator reports that it
// holds less. A debt stays.
func (s *Sender) writeOffBalance(k accountKey, t drawn, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[k]
	s.opt.Book.WriteOff(paymentlog.Short, a.value.Sub(debt(a.value)))
	a.value = debt(a.value)
	a.end(t, debt(t.value))
	a.tried = now
}

// forgetAccountLocked drops an account.
func (s *Sender) forgetAccountLocked(k accountKey) {
	s.accountQuota.release(s.accounts[k].owner)
	delete(s.accounts, k)
}
