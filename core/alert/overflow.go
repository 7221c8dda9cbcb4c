package alert

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// overflowKey stands for all conditions beyond maxTracked.
var tooMany = health.Key{Code: fault.AlertsTooMany}

// forgetResolved drops one tracked condition that is neither set nor firing, if there is
// one: it is only kept to be counted.
func (r *Rules) forget() bool {
	for key, t := range r.known {
		if !t.set && !t.told {
			delete(r.known, key)
			return true
		}
	}
	return false
}

// overflow is the one condition that stands for all untracked ones.
func (r *Rules) over(now time.Time) (health.Condition, bool) {
	if r.missed == 0 {
		r.since = time.Time{}
		return health.Condition{}, false
	}
	if r.since.IsZero() {
		r.since = now
	}
	detail := fmt.Sprintf("%d conditions in addition to the %d that have alerts of their own", r.missed, maxKnown)
	return health.Condition{Code: fault.AlertsTooMany, Detail: detail, Since: r.since}, true
}
