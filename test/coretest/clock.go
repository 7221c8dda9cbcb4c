package coretest

import (
	"sync/atomic"
	"time"
)

// Clock is the time, as tests move it. The zero value goes on like the machine's
// clock, from wherever it was moved to; one of NewClock stands still. It is safe
// for concurrent use.
type Clock struct {
	still time.Time
	ahead atomic.Int64
}

// NewClock makes a clock that stands still at a time.
func NewClock(at time.Time) *Clock { return &Clock{still: at} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	t := c.still
	if t.IsZero() {
		t = time.Now()
	}
	return t.Add(time.Duration(c.ahead.Load()))
}

// Forward moves the clock on.
func (c *Clock) Forward(d time.Duration) { c.ahead.Add(int64(d)) }

// Set moves the clock to a time.
func (c *Clock) Set(t time.Time) { c.Forward(t.Sub(c.Now())) }
