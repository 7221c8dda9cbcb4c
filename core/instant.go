package core

import (
	"sync/atomic"
	"time"
)

// Instant is a time that several goroutines read and store, such as that of the last use. It keeps what time.Now knows
// besides the wall clock: a wall clock that is set changes nothing of how long ago it was. The zero Instant is the
// zero time.
type Instant struct{ at atomic.Pointer[time.Time] }

// Store sets it.
func (i *Instant) Store(t time.Time) { i.at.Store(&t) }

// Load returns what was stored last.
func (i *Instant) Load() time.Time {
	if t := i.at.Load(); t != nil {
		return *t
	}
	return time.Time{}
}
