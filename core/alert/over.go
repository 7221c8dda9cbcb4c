package alert

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// tooMany stands for all troubles that are more than can be followed.
var tooMany = health.Key{Code: fault.AlertsTooMany}

// forget makes room by letting go of a trouble that is over and that nobody has to be
// told the end of: it is only remembered to be counted.
func (r *Rules) forget() bool {
	for key, t := range r.known {
		if !t.set && !t.told {
			delete(r.known, key)
			return true
		}
	}
	return false
}

// over is the one trouble that is told in the place of those without one.
func (r *Rules) over(now time.Time) (health.Condition, bool) {
	if r.missed == 0 {
		r.since = time.Time{}
		return health.Condition{}, false
	}
	if r.since.IsZero() {
		r.since = now
	}
	detail := fmt.Sprintf("%d troubles beside the %d that are told one by one", r.missed, maxKnown)
	return health.Condition{Code: fault.AlertsTooMany, Detail: detail, Since: r.since}, true
}
