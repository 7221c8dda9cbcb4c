package chaos

import (
	"testing"
	"time"
)

// clock is a node's time: so many times as fast as the wall's, and the same in
// every process that knows when it began. The node keeps all its own measures, and
// what it does after half a minute the tests see after seconds.
type clock struct {
	Begin time.Time
	Speed int64
}

func (c clock) now() time.Time {
	return c.Begin.Add(time.Duration(c.Speed) * time.Since(c.Begin))
}

func TestClock(t *testing.T) {
	t.Parallel()
	c := clock{Begin: time.Now().Add(-time.Minute), Speed: 10}
	if ahead := time.Until(c.now()); ahead < 9*time.Minute || ahead > 10*time.Minute {
		t.Errorf("%s ahead after a minute at ten times the speed", ahead)
	}
}
