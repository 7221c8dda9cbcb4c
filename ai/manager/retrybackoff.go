package manager

import "time"

const (
	minRetry = time.Second
	// A failing container is restarted at most once per minute; an external server is
	// checked more often.
	maxRetry         = time.Minute
	maxExternalRetry = 15 * time.Second
	// healthyEnough is how long a runner must have been ready to reset its backoff.
	healthyEnough = 10 * time.Minute
)

// backoff is the wait between a runner's attempts: it doubles each time and is spread by
// a fifth, so that runners that failed together do not retry together.
type backoff struct {
	next, last time.Duration
	random     func() float64
}

func newBackoff(last time.Duration, random func() float64) *backoff {
	return &backoff{next: minRetry, last: last, random: random}
}

// wait returns the next wait.
func (b *backoff) wait() time.Duration {
	d := b.next
	b.next = min(2*b.next, b.last)
	return time.Duration(float64(d) * (0.8 + 0.4*b.random()))
}

// reset forgets the failures.
func (b *backoff) reset() { b.next = minRetry }
