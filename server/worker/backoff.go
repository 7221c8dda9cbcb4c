package worker

import "time"

// The network's rule for the pause between two attempts to register: 0.5 s, times 1.5 after
// each failure, up to 60 s, with a jitter of ±50 %.
const (
	firstPause   = 500 * time.Millisecond
	growth       = 1.5
	longestPause = time.Minute
	spread       = 0.5
)

const (
	// early is how long after a good registration pauses stay short: a restarted
	// orchestrator is back within seconds and needs its workers.
	early        = 30 * time.Second
	longestEarly = 2500 * time.Millisecond
	// goodAfter is how long a registration must last to count as good.
	goodAfter = 5 * time.Second
)

// retryBackoff computes the pause before the next attempt to register.
type retryBackoff struct {
	step time.Duration
	// lost is when the last good registration ended; zero before there was one.
	lost time.Time
}

// next returns the pause after an attempt that ended now; lasted is how long it was registered,
// 0 when it never was. chance is a random number from 0 to 1.
func (b *retryBackoff) next(now time.Time, lasted time.Duration, chance float64) time.Duration {
	if lasted >= goodAfter {
		b.step, b.lost = firstPause, now
		// A refused connection is cheap, so the first attempt comes soon.
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
