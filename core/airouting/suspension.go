package airouting

import "time"

const (
	// failuresToEject is how many failures in a row make an orchestrator rest.
	failuresToEject = 3
	// firstRest is the first rest, maxRest the longest; each one in a row doubles.
	firstRest = time.Second
	maxRest   = time.Minute
	// minRetry is how soon a resting one is tried if there is no other.
	minRetry = 200 * time.Millisecond
	// steady is how long one must have worked for its earlier rests to be forgotten.
	steady = 10 * time.Second
)

// suspension tracks one orchestrator's failures. After a rest it gets one probe at a time; an answer
// ends the rest. Until then it is suspended.
type suspension struct {
	failures  int // in a row
	resting   bool
	probing   bool // a probe is in flight
	penalties int  // rests in a row before this one
	rest      time.Duration
	since     time.Time // beginning of the rest
	until     time.Time
	failedAt  time.Time
	backAt    time.Time // end of the last rest
}

// open reports whether it accepts jobs; probe, that it accepts exactly one.
func (h *suspension) open(now time.Time) (open, probe bool) {
	if !h.resting {
		return true, false
	}
	due := !h.probing && !now.Before(h.until)
	return due, due
}

// lastResort reports whether it may be probed before its rest is over.
func (h *suspension) lastResort(now time.Time) bool {
	return h.resting && !h.probing && now.Sub(h.failedAt) >= min(minRetry, h.rest)
}

// failed records a failure. hard ones, without a connection, make it rest at once. spread is
// between 0 and 1.
func (h *suspension) failed(now time.Time, hard, probe bool, spread float64) {
	h.failures++
	switch {
	case h.resting && !probe:
		return // from before the rest
	case h.resting && now.Before(h.until):
		h.failedAt = now // it was probed early, for lack of another
		return
	case h.resting:
		h.penalties++
	case !hard && h.failures < failuresToEject:
		return
	case now.Sub(h.backAt) < max(2*h.rest, steady) && !h.backAt.IsZero():
		h.penalties++ // it is flapping
	default:
		h.penalties = 0
	}
	h.since, h.failedAt = now, now
	full := min(maxRest, firstRest<<min(h.penalties, 10))
	// Slightly shorter at random, so that gateways do not come back at once.
	h.rest = full - time.Duration(spread*float64(full)/5)
	h.until = now.Add(h.rest)
	h.resting = true
}

// alive records an answer of any kind to a job that was begun at start. It ends a rest, unless the
// job is from before the rest. probation is how many failures then begin the next rest.
func (h *suspension) alive(now, start time.Time, probation int) {
	if !h.resting || start.Before(h.since) {
		return
	}
	h.resting, h.backAt, h.failures = false, now, failuresToEject-probation
}

// served records a complete answer.
func (h *suspension) served() {
	if !h.resting {
		h.failures = 0
	}
}
