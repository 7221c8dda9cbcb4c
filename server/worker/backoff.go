package worker

import "time"

// The network's rule for the time between two attempts to register: 0.5 s, half as
// much again after each failure, up to 60 s, and each time up to half more or less,
// so that workers do not come in step.
const (
	firstPause   = 500 * time.Millisecond
	growth       = 1.5
	longestPause = time.Minute
	spread       = 0.5
)

const (
	// early is how long after a good registration pauses stay short: an orchestrator
	// that restarts is back within seconds, and should not be short of workers then.
	early        = 30 * time.Second
	longestEarly = 2500 * time.Millisecond
	// good is how long a registration must have lasted to count as one.
	goodAfter = 5 * time.Second
)

// retryBackoff computes the pause before the next attempt to register.
type retryBackoff struct {
	step time.Duration
	// lost is when the last good registration ended; zero before there was one.
	lost time.Time
}

// after is the pause after an attempt that ended now; lasted is how long it was a
// registration, 0 when it never was. chance is from 0 to 1.
func (b *retryBackoff) next(now time.Time, lasted time.Duration, chance float64) time.Duration {
	if lasted >= goodAfter {
		b.step, b.lost = firstPause, now
		// To be refused costs neither side anything, so the first attempt comes soon.
		return time.Duration(chance * float64(firstPause))
	}
	pause := max(b.step, firstPause)
	b.step = min(longestPause, time.Duration(float64(pause)*growth))
	if !b.lost.IsZero() && now.Sub(b.lost) < early {
		pause = min(pause, longestEarly)
		b.step = min(b.step, longestEarly)
	}
	pause = time.Duration(float64(pause) * (1 - spread + 2*spread*chance))
	return min(pause, longestPause)
}
