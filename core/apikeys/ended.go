package apikeys

import (
	"slices"
	"time"
)

// maxEnded is how many ended periods of a count are remembered.
const maxEnded = 3

// endedPeriod is what was used in a period that has ended by the clock. If the clock returns to
// that period or an earlier one, the use counts again: a clock that was ahead opens no second
// budget.
type endedPeriod struct {
	Usage
	// counted: the present count contains it.
	counted bool
}

// end remembers the present period of a count, which a later one of the same length replaces.
func (c *count) end() {
	c.leaveOutEnded()
	u := c.Usage
	if u.Start.IsZero() || u.Used == 0 && u.Paid.IsZero() && u.PaidUSD.IsZero() {
		return
	}
	if len(c.ended) == maxEnded {
		c.ended = slices.Delete(c.ended, 0, 1)
	}
	c.ended = append(c.ended, endedPeriod{Usage: u})
}

// countEnded adds what was used in the ended periods that now is in or before: the present one
// begins in the future.
func (c *count) countEnded(now time.Time) {
	start := c.Period.start(now)
	for i := range c.ended {
		if e := &c.ended[i]; !e.counted && !e.Start.Before(start) {
			c.Used, c.Requests = c.Used+e.Used, c.Requests+e.Requests
			c.Paid, c.PaidUSD = c.Paid.Add(e.Paid), c.PaidUSD.Add(e.PaidUSD)
			e.counted = true
		}
	}
}

// leaveOutEnded takes back countEnded: the clock was right, and was set back for a moment.
func (c *count) leaveOutEnded() {
	for i := range c.ended {
		if e := &c.ended[i]; e.counted {
			c.Used, c.Requests = max(0, c.Used-e.Used), max(0, c.Requests-e.Requests)
			c.Paid, c.PaidUSD = c.Paid.Sub(e.Paid), c.PaidUSD.Sub(e.PaidUSD)
			e.counted = false
		}
	}
}

// moveTo makes the count, which begins in the future, that of the period of now.
func (c *count) moveTo(now time.Time) {
	c.countEnded(now)
	c.ended = slices.DeleteFunc(c.ended, func(e endedPeriod) bool { return e.counted })
	c.Start = c.Period.start(now)
}
