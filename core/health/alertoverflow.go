package health

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// overflowKey stands for all conditions beyond maxTracked.
func overflowKey() Key { return Key{Code: fault.AlertsTooMany} }

// forgetResolved drops one tracked condition that is neither set nor firing, if there is
// one: it is only kept to be counted.
func (r *AlertRules) forgetResolved() bool {
	for key, t := range r.tracked {
		if !t.set && !t.firing {
			delete(r.tracked, key)
			return true
		}
	}
	return false
}

// overflow returns the one condition that stands for all untracked ones.
func (r *AlertRules) overflow(now time.Time) (Condition, bool) {
	if r.untracked == 0 {
		r.untrackedSince = time.Time{}
		return Condition{}, false
	}
	if r.untrackedSince.IsZero() {
		r.untrackedSince = now
	}
	detail := fmt.Sprintf("%d conditions in addition to the %d that have alerts of their own", r.untracked, maxTracked)
	return Condition{Code: fault.AlertsTooMany, Detail: detail, Since: r.untrackedSince}, true
}
