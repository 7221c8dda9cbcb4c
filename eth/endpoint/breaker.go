package endpoint

import "time"

// The breaker's parameters.
const (
	failureThreshold = 5
	firstBackoff     = time.Second
	maxBackoff       = time.Minute
	// maxRetryAfter bounds the Retry-After that is honored.
	maxRetryAfter = 5 * time.Minute
)

// breaker is a circuit breaker. It opens after several failures in a row, lets one request through when its
// back-off is over, and backs off for longer each time that request fails. Time and chance are parameters;
// the owner's mutex guards it.
type breaker struct {
	failures int
	trips    int
	until    time.Time
	// probing is set while the one request of a half-open breaker is in progress.
	probing bool
}

func (b *breaker) open() bool { return b.trips > 0 }

// allows reports whether a request may go now.
func (b *breaker) allows(now time.Time) bool {
	return !now.Before(b.until) && (!b.open() || !b.probing)
}

// acquire takes the right to one request; releaseTrial gives it back.
func (b *breaker) acquire(now time.Time) bool {
	if !b.allows(now) {
		return false
	}
	b.probing = b.open()
	return true
}

// releaseTrial gives back what acquire took, for a request without a result.
func (b *breaker) releaseTrial() { b.probing = false }

// success closes the breaker.
func (b *breaker) success() { *b = breaker{} }

// failure counts a failure; a lasting one opens the breaker at once. chance is in [0, 1).
func (b *breaker) failure(now time.Time, lasting bool, chance float64) {
	b.probing = false
	b.failures++
	if !b.open() && !lasting && b.failures < failureThreshold {
		return
	}
	b.trip(now, 0, chance)
}

// trip opens the breaker for the time asked for, or for a growing one.
func (b *breaker) trip(now time.Time, wait time.Duration, chance float64) {
	b.probing = false
	if b.open() && now.Before(b.until) && wait == 0 {
		// Requests already in progress do not extend the back-off.
		return
	}
	rest := firstBackoff << min(b.trips, 6)
	rest = jitter(min(rest, maxBackoff), chance)
	if wait > 0 {
		// A Retry-After is a least time: jitter only adds to it.
		rest = min(wait, maxRetryAfter) + time.Duration(chance*float64(firstBackoff))
	}
	b.trips++
	if end := now.Add(rest); end.After(b.until) {
		b.until = end
	}
}

// jitter varies a time by up to a fifth either way.
func jitter(d time.Duration, chance float64) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*chance))
}
