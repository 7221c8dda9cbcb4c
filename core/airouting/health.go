package airouting

import "time"

const (
	// failuresToEject is how many failures in a row make an orchestrator rest.
	failuresToEject = 3
	// firstRest is how long at first, maxRest at most; each time in a row doubles.
	firstRest = time.Second
	maxRest   = time.Minute
	// minRetry is how soon a resting one is tried when nobody else is left.
	minRetry = 200 * time.Millisecond
	// steady is how long one must have worked for its earlier rests to be forgotten.
	steady = 10 * time.Second
)

// health is what is known of one orchestrator's failures. After a rest it takes
// one probe at a time; an answer ends the rest.
type health struct {
	failures int // in a row
	resting  bool
	probing  bool // a probe is in flight
	strikes  int  // rests in a row before this one
	rest     time.Duration
	since    time.Time // beginning of the rest
	until    time.Time
	failedAt time.Time
	backAt   time.Time // end of the last rest
}

// open reports whether it takes jobs; probe, that it takes one and only one.
func (h *health) open(now time.Time) (open, probe bool) {
	if !h.resting {
		return true, false
	}
	due := !h.probing && !now.Before(h.until)
	return due, due
}

// lastResort reports whether it may be probed before its rest is over.
func (h *health) lastResort(now time.Time) bool {
	return h.resting && !h.probing && now.Sub(h.failedAt) >= min(minRetry, h.rest)
}

// failed notes a failure. hard ones, where not even a connection came about, make
// it rest at once. spread is between 0 and 1.
func (h *health) failed(now time.Time, hard, probe bool, spread float64) {
	h.failures++
	switch {
	case h.resting && !probe:
		return // from before the rest
	case h.resting && now.Before(h.until):
		h.failedAt = now // it was asked early, as the last resort
		return
	case h.resting:
		h.strikes++
	case !hard && h.failures < failuresToEject:
		return
	case now.Sub(h.backAt) < max(2*h.rest, steady) && !h.backAt.IsZero():
		h.strikes++ // it flaps
	default:
		h.strikes = 0
	}
	h.since, h.failedAt = now, now
	full := min(maxRest, firstRest<<min(h.strikes, 10))
	// A little less than the full time, so that gateways do not come back at once.
	h.rest = full - time.Duration(spread*float64(full)/5)
	h.until = now.Add(h.rest)
	h.resting = true
}

// alive notes an answer of any kind to a job that was begun at start. A rest ends
// with it, unless the job is from before the rest; so many failures begin the next one then.
func (h *health) alive(now, start time.Time, probation int) {
	if !h.resting || start.Before(h.since) {
		return
	}
	h.resting, h.backAt, h.failures = false, now, failuresToEject-probation
}

// served notes an answer that came to its end.
func (h *health) served() {
	if !h.resting {
		h.failures = 0
	}
}
