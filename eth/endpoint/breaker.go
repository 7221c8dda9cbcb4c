package endpoint

import "time"

// The breaker's measures.
const (
	breakAfter  = 5
	firstRest   = time.Second
	longestRest = time.Minute
	// longestWait bounds what a Retry-After may ask for.
	longestWait = 5 * time.Minute
)

// breaker keeps requests from an endpoint that keeps failing. It opens after
// several failures in a row, lets one request through when its rest is over, and
// rests for longer each time that one fails. Time and chance are handed in; the
// owner's mutex guards it.
type breaker struct {
	failures int
	trips    int
	until    time.Time
	// trying is set while the one request of a half-open breaker is on its way.
	trying bool
}

func (b *breaker) open() bool { return b.trips > 0 }

// admits reports whether a request may go now.
func (b *breaker) admits(now time.Time) bool {
	return !now.Before(b.until) && (!b.open() || !b.trying)
}

// enter takes the right to one request; settle gives it back.
func (b *breaker) enter(now time.Time) bool {
	if !b.admits(now) {
		return false
	}
	b.trying = b.open()
	return true
}

// settle gives back what enter took, for a request that says nothing.
func (b *breaker) settle() { b.trying = false }

// success closes the breaker.
func (b *breaker) success() { *b = breaker{} }

// failure counts one; lasting ones open at once. chance is in [0, 1).
func (b *breaker) failure(now time.Time, lasting bool, chance float64) {
	b.trying = false
	b.failures++
	if !b.open() && !lasting && b.failures < breakAfter {
		return
	}
	b.trip(now, 0, chance)
}

// trip opens for the time that was asked for, or for a growing one.
func (b *breaker) trip(now time.Time, wait time.Duration, chance float64) {
	b.trying = false
	if b.open() && now.Before(b.until) && wait == 0 {
		// Requests that were on their way say nothing new.
		return
	}
	rest := firstRest << min(b.trips, 6)
	rest = spread(min(rest, longestRest), chance)
	if wait > 0 {
		// A provider's word is a least time: spread it upwards only.
		rest = min(wait, longestWait) + time.Duration(chance*float64(firstRest))
	}
	b.trips++
	if end := now.Add(rest); end.After(b.until) {
		b.until = end
	}
}

// spread varies a time by a fifth up or down.
func spread(d time.Duration, chance float64) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*chance))
}
