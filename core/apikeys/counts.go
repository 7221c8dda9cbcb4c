package apikeys

import (
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// count is the use of an account in one period.
type count struct {
	Usage
	// only is the period that it is for, "" for that of the key's budget.
	only Period
	// kept: it is saved, because a budget needed it.
	kept bool
	// saved is what was saved last, or loaded.
	saved Usage
	// ended are the latest periods that have ended, the oldest first.
	ended []endedPeriod
}

// ownCount returns the count of a listed key, which has one budget.
func ownCount(id string) []count {
	return []count{{Usage: Usage{ID: id}, kept: true}}
}

// countsPerPeriod returns the counts of a key that the webhook admits: its answers may have budgets of
// different periods, and each must see the whole use.
func countsPerPeriod(id string) []count {
	var counts []count
	for _, p := range []Period{Day, Week, Month, Total} {
		counts = append(counts, count{Usage: Usage{ID: id + ":" + string(p)}, only: p})
	}
	return counts
}

// clockSettles is for how long a period may begin in the future: a clock that is behind
// at the start of its machine is corrected by then.
const clockSettles = time.Hour

// settleClock ends periods of a clock that was ahead, and is right now: what was used in
// them counts in the present one. They would last for as long as the clock was ahead. Until
// that is certain, what was used before the clock went ahead counts in addition.
func (a *account) settleClock(now time.Time) {
	future := false
	for i := range a.counts {
		c := &a.counts[i]
		if !c.Start.After(now) {
			c.leaveOutEnded()
			continue
		}
		future = true
		c.countEnded(now)
		if !a.futureSince.IsZero() && now.Sub(a.futureSince) >= clockSettles {
			c.moveTo(now)
			a.dirty = true
		}
	}
	switch {
	case !future:
		a.futureSince = time.Time{}
	case a.futureSince.IsZero() || now.Before(a.futureSince):
		a.futureSince = now
	}
}

// startPeriods starts new periods that have begun.
func (a *account) startPeriods(now time.Time) {
	a.settleClock(now)
	for i := range a.counts {
		c := &a.counts[i]
		budget := a.key.Budget
		if c.only != "" {
			budget.Period = c.only
		}
		if u := c.At(budget, now); u != c.Usage {
			a.dirty = a.dirty || c.Requests > 0
			if c.Period == u.Period {
				c.end()
			}
			c.Usage = u
		}
	}
}

// count returns the count for a budget.
func (a *account) count(b Budget) *count {
	for i := range a.counts {
		if only := a.counts[i].only; only == "" || only == b.period() {
			return &a.counts[i]
		}
	}
	return &a.counts[0]
}

// keep makes the count of a budget saved from now on.
func (a *account) keep(b Budget) {
	if !b.Limited() {
		return
	}
	if c := a.count(b); !c.kept {
		c.kept, a.dirty = true, true
	}
}

// reserve takes tokens for a request from every period, whatever the request's own limits.
func (a *account) reserve(n inference.Tokens) {
	for i := range a.counts {
		a.counts[i].Reserved += n
	}
	a.dirty = true
}

// applyUsage replaces a reservation by the real use.
func (a *account) applyUsage(reserved, used inference.Tokens) {
	for i := range a.counts {
		a.counts[i].Reserved -= reserved
		a.counts[i].Used += used
	}
	a.dirty = true
}

// restore adds the use from before the process started.
func (a *account) restore(u Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.startPeriods(a.now())
	for i := range a.counts {
		a.counts[i].restore(u)
		a.counts[i].saved = a.counts[i].Usage
	}
	a.dirty = a.dirty || u.Reserved > 0 || !u.Held.IsZero()
}

func (c *count) restore(u Usage) {
	if u.Last.After(c.Last) {
		c.Last = u.Last
	}
	if u.Start.Before(c.Start) || c.only == "" && u.Period != c.Period {
		return
	}
	// A clock that is behind, for example before its first correction, would end the period with
	// the correction. The saved count knows when its period began.
	if start := c.Period.start(u.Start); start.After(c.Start) {
		c.Start = start
	}
	// Reservations in saved counts belong to requests whose end was not recorded. Counting them as
	// used keeps the budget exact after a crash.
	used, paid, dollars := u.Used+u.Reserved, u.Paid.Add(u.Held), u.PaidUSD.Add(u.HeldUSD)
	if c.only == "" {
		c.Used += used
		c.Paid, c.PaidUSD = c.Paid.Add(paid), c.PaidUSD.Add(dollars)
		c.Requests += u.Requests
		return
	}
	// The use since a later time also belongs to this period. So a period without a budget so far
	// starts with at least that.
	c.Used = max(c.Used, used)
	if paid.Cmp(c.Paid) > 0 {
		c.Paid = paid
	}
	if dollars.Cmp(c.PaidUSD) > 0 {
		c.PaidUSD = dollars
	}
	c.Requests = max(c.Requests, u.Requests)
	c.kept = c.kept || c.Period == u.Period
}
