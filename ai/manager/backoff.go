package manager

import "time"

const (
	firstRetry = time.Second
	// A runner of ours is started anew at most once per minute, a server that
	// somebody else starts is looked at more often.
	lastRetry         = time.Minute
	lastExternalRetry = 15 * time.Second
	// healthyEnough is for how long a runner must have served for its earlier
	// failures to be forgotten.
	healthyEnough = 10 * time.Minute
)

// backoff is the wait between a runner's attempts: twice as long each time, and
// spread by a fifth so that what failed together does not come back together.
type backoff struct {
	next, last time.Duration
	random     func() float64
}

func newBackoff(last time.Duration, random func() float64) *backoff {
	return &backoff{next: firstRetry, last: last, random: random}
}

// wait is how long to wait this time.
func (b *backoff) wait() time.Duration {
	d := b.next
	b.next = min(2*b.next, b.last)
	return time.Duration(float64(d) * (0.8 + 0.4*b.random()))
}

// reset forgets the failures.
func (b *backoff) reset() { b.next = firstRetry }
