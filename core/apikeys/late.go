package apikeys

import (
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// In an upgrade the requests in progress end in the old process, and the counts are the new one's. What requests have
// reserved when it takes over counts there as used, as after a crash, so that budgets hold; the old process admits
// nothing more, and tells what the requests used in the end.

// Late is a change of a count in a process that another one took over from: what it was there, and what it is.
type Late struct{ Before, After Usage }

// growth is how many tokens an answer without max_tokens may have beyond its reservation after a handover. All of them
// together get half of what is left of a budget, and new requests the rest.
const growth inference.Tokens = 4096

// HandOver admits no more requests. What those in progress may still take from budgets is reserved; it must be saved
// with Flush before another process loads the counts.
func (g *Guard) HandOver() {
	g.leaving.Store(true)
	for _, a := range g.accounts() {
		a.handOver()
	}
}

// errLeft refuses requests of a process that another one took over from.
func errLeft() error {
	return refuse(fault.Draining, busyRetry, "another process has taken over: repeat the request")
}

func (a *account) handOver() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leaving {
		return
	}
	a.leaving = true
	if left, limited := a.left(a.key.Budget); limited && a.growing > 0 {
		a.pool = min(max(left, 0)/2, growth*inference.Tokens(a.growing))
		a.reserve(a.pool)
	}
}

// releasePool gives back what no request of the old process needs any more. The caller holds mu.
func (a *account) releasePool() {
	if a.growing == 0 && a.pool > 0 {
		a.applyUsage(a.pool, 0)
		a.pool = 0
	}
}

// TakeLate returns what changed since the last call or Flush.
func (g *Guard) TakeLate() (all []Late) {
	for _, a := range g.accounts() {
		all = a.takeLate(all)
	}
	return all
}

func (a *account) takeLate(all []Late) []Late {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.dirty {
		return all
	}
	a.dirty = false
	for i := range a.counts {
		c := &a.counts[i]
		before := c.saved
		if before.ID == "" || !before.Start.Equal(c.Start) || before.Period != c.Period {
			before = Usage{ID: c.ID, Period: c.Period, Start: c.Start}
		}
		if c.kept && before != c.Usage {
			all = append(all, Late{Before: before, After: c.Usage})
		}
		c.saved = c.Usage
	}
	return all
}

// Apply counts what requests used that ended in the previous process.
func (g *Guard) Apply(list []Late) {
	accounts := g.accounts()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range list {
		if u, ok := g.saved[l.After.ID]; ok {
			u.apply(&l)
			g.saved[l.After.ID] = u
			continue
		}
		for _, a := range accounts {
			a.apply(&l)
		}
	}
}

func (a *account) apply(l *Late) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.startPeriods(a.now())
	for i := range a.counts {
		if c := &a.counts[i]; c.ID == l.After.ID && c.apply(l) {
			c.kept, a.dirty = true, true
		}
	}
}

// apply reports whether the change is of the same period.
func (u *Usage) apply(l *Late) bool {
	if u.Period != l.After.Period || !u.Start.Equal(l.After.Start) {
		return false
	}
	u.Used = max(0, u.Used+l.After.Used+l.After.Reserved-l.Before.Used-l.Before.Reserved)
	u.Paid = u.Paid.Add(l.After.Paid).Add(l.After.Held).Sub(l.Before.Paid.Add(l.Before.Held))
	u.PaidUSD = u.PaidUSD.Add(l.After.PaidUSD).Add(l.After.HeldUSD).Sub(l.Before.PaidUSD.Add(l.Before.HeldUSD))
	return true
}
