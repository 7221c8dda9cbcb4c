package airouting

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/pricing"
)

// objection is why a candidate cannot get a job, "" where it can.
func (t *Table) objection(c *candidate, q *Query, now time.Time) Reason {
	if c.gone {
		return NotOffered
	}
	if r := q.Preferences.objection(c, q); r != "" {
		return r
	}
	stated := c.states(q)
	switch {
	case stated.Operations() != 0:
		return LacksOperation
	case stated != 0:
		return LacksFeature
	case q.Primary != "" && c.offer.URI != q.Primary:
		return NoFallbacks
	case q.Kind == OwnOnly && !c.offer.Own:
		return LacksOperation
	case t.rule != nil && c.offer.Scored && c.offer.Score < t.rule.MinScore:
		return LowScore
	case pricing.AbovePriceCap(c.offer.Price, q.MaxPrice):
		return AboveMaxPrice
	case c.backoffs.left(q.Client, now) > 0:
		return AskedToWait
	case slices.Contains(q.Tried, c.offer.URI):
		return AlreadyTried
	}
	return ""
}
