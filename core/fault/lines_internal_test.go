package fault

import (
	"fmt"
	"testing"
	"time"
)

// One peer's failures have a few lines at once and then one a second; another peer's have theirs.
// All together are bounded too, and a clock that is put back stops no lines.
func TestFailuresHaveFewLines(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	var l Lines
	lines := func(peer string, times int) (n int) {
		for range times {
			if _, ok := l.Allow(peer, now); ok {
				n++
			}
		}
		return n
	}
	if n := lines("a", 1000); n != peerBurst {
		t.Errorf("%d lines at once", n)
	}
	if n := lines("b", 1); n != 1 {
		t.Error("one peer takes the lines of others")
	}
	now = now.Add(5 * peerEvery)
	if n := lines("a", 1000); n != 5 {
		t.Errorf("%d lines in five seconds", n)
	}
	if suppressed, ok := l.Allow("b", now); !ok || suppressed < 900 {
		t.Errorf("%d were not logged", suppressed)
	}
	sum := 0
	for i := range 2 * maxPeers {
		sum += lines(fmt.Sprint(i), 10)
	}
	if sum > allBurst || len(l.peers) > maxPeers {
		t.Errorf("%d lines of many peers, %d remembered", sum, len(l.peers))
	}
	now = now.Add(-24 * time.Hour)
	if lines("a", 1) != 1 {
		t.Error("no line after the clock was put back")
	}
}
