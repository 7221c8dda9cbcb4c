package core_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// What was stored is compared without the wall clock, which may be set meanwhile.
func TestInstantKeepsItsReadingOfTheClock(t *testing.T) {
	t.Parallel()
	var i core.Instant
	if !i.Load().IsZero() {
		t.Error("it begins at", i.Load())
	}
	now := time.Now()
	i.Store(now)
	if got := i.Load(); got != now { // also the monotonic reading
		t.Errorf("%v, want %v", got, now)
	}
}
