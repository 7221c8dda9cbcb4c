package alert

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// overflowKey stands for all conditions beyond maxTracked.
func overflowKey() health.Key { return health.Key{Code: fault.AlertsTooMany} }

// forgetResolved drops one tracked condition that is neither set nor firing, if there is
// one: it is only kept to be counted.
func (r *Rules) forgetResolved() bool {
	for key, t := range r.tracked {
		if !t.set && !t.firing {
			delete(r.tracked, key)
			return true
		}
	}
	return false
}

// overflow returns the one condition that stands for all untracked ones.
func (r *Rules) overflow(now time.Time) (health.Condition, bool) {
	if r.untracked == 0 {
		r.untrackedSince = time.Time{}
		return health.Condition{}, false
	}
	if r.untrackedSince.IsZero() {
		r.untrackedSince = now
	}
	detail := fmt.Sprintf("%d conditions in addition to the %d that have alerts of their own", r.untracked, maxTracked)
	return health.Condition{Code: fault.AlertsTooMany, Detail: detail, Since: r.untrackedSince}, true
}
