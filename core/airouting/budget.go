package airouting

import (
	"math/big"
	"sync"
	"time"
)

const (
	// maxTries bounds the orchestrators that a job is sent to, as in the network.
	maxTries = 20
	// maxUnserved bounds the lost payments of one job, for whatever reason.
	maxUnserved = 8
)

// Budget counts down the attempts of one job. Refusals that cost nothing, such as of a full
// orchestrator, are limited by the window and their number; attempts that may have been worked on
// also by Others, because each of them adds load to a fleet that may be overloaded already. It may be used
// concurrently.
type Budget struct {
	// Window is how long after the job's arrival attempts begin.
	Window time.Duration
	// Others is how many more orchestrators may get a job that one has failed at.
	Others int
	// MaxLost is the value of lost payments after which the job is not paid for again, in wei; nil
	// is unlimited.
	MaxLost *big.Rat

	mu                     sync.Mutex
	tries, spent, unserved int     // guarded by mu
	lost                   big.Rat // guarded by mu
	late                   bool    // guarded by mu
}

// Cost is what a failed attempt counts as.
type Cost struct {
	// Spent: the orchestrator had the job and may have worked on it.
	Spent bool
	// Slow: the attempt spent its time connecting or waiting, so that one more may begin after the
	// window.
	Slow bool
}

// Again counts a failed attempt and reports whether another one may begin, this long after the
// job's arrival.
func (b *Budget) Again(elapsed time.Duration, c Cost) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries++
	if c.Spent {
		b.spent++
	}
	if b.tries >= maxTries || b.spent > b.Others || !b.paysLocked() {
		return false
	}
	if b.Open(elapsed) {
		return true
	}
	made := c.Slow && !b.late
	b.late = true
	return made
}

// Lose counts a lost payment.
func (b *Budget) Lose(value *big.Rat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unserved++
	b.lost.Add(&b.lost, value)
}

// Pays reports whether the job may be paid for again.
func (b *Budget) Pays() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.paysLocked()
}

func (b *Budget) paysLocked() bool {
	return b.unserved < maxUnserved && (b.MaxLost == nil || b.lost.Cmp(b.MaxLost) < 0)
}

// Open reports whether the window is still open.
func (b *Budget) Open(elapsed time.Duration) bool { return elapsed < b.Window }

// Tries returns the number of attempts that failed.
func (b *Budget) Tries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tries
}

const (
	firstPause    = 50 * time.Millisecond
	maxPauseShift = 2
)

// Pause returns how long to wait before the n-th further round, from 0. random is in [0, 1).
func Pause(n int, random float64) time.Duration {
	d := firstPause << min(max(0, n), maxPauseShift)
	return time.Duration((0.5 + random) * float64(d))
}
