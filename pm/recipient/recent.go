package recipient

import (
	"time"

	"github.com/tuttinode/tutti/pm"
)

// periodLength is the time over which payments and debts are summed up.
const periodLength = time.Hour

// period is what one gateway paid and left unpaid within periodLength: paid in tickets, kept is
// credit that was left in closed accounts, given is how far closed accounts were below zero.
type period struct {
	first, last       time.Time
	paid, kept, given pm.Value
}

// recent is what one gateway paid and left unpaid within debtLifetime. Both cover the same
// time: earlier payments excuse no debt of today. Payments count from the beginning of their
// period and debts from its end, so that neither counts for too little time.
type recent struct {
	// periods are in chronological order, 26 at most.
	periods []period
	// paid, kept and given are the sums of the periods.
	paid, kept, given pm.Value
}

// add adds the amounts of a time.
func (r *recent) add(e period) {
	r.paid, r.kept, r.given = r.paid.Add(e.paid), r.kept.Add(e.kept), r.given.Add(e.given)
	if n := len(r.periods); n > 0 {
		if p := &r.periods[n-1]; e.last.Sub(p.first) < periodLength {
			p.last = later(p.last, e.last)
			p.paid, p.kept, p.given = p.paid.Add(e.paid), p.kept.Add(e.kept), p.given.Add(e.given)
			return
		}
	}
	r.periods = append(r.periods, e)
}

// forget drops what is older than debtLifetime. Times after now come from a clock that was
// ahead and count as now.
func (r *recent) forget(now time.Time) {
	left := r.periods[:0]
	for _, p := range r.periods {
		p.first, p.last = earlier(p.first, now), earlier(p.last, now)
		if now.Sub(p.first) >= debtLifetime {
			r.paid, r.kept = r.paid.Sub(p.paid), r.kept.Sub(p.kept)
			p.paid, p.kept = pm.Value{}, pm.Value{}
		}
		if now.Sub(p.last) >= debtLifetime {
			r.given = r.given.Sub(p.given)
			continue
		}
		left = append(left, p)
	}
	clear(r.periods[len(left):])
	r.periods = left
}

// net returns what was left unpaid, less what was left in other accounts.
func (r *recent) net() pm.Value { return r.given.Sub(r.kept) }

// newest returns the time of the last payment or debt.
func (r *recent) newest() time.Time {
	if n := len(r.periods); n > 0 {
		return r.periods[n-1].last
	}
	return time.Time{}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
