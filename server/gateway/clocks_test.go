package gateway_test

import (
	"fmt"
	"testing"
	"time"
)

// TestClocksThatDiffer: an orchestrator whose clock is hours away from the gateway's, whichever of
// the two is wrong, keeps its session: it gets a request for terms as often as one whose clock is right.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	right := askedForTerms(t, 0)
	for _, away := range []time.Duration{-3 * time.Hour, -31 * time.Minute, 3 * time.Hour} {
		if asked := askedForTerms(t, away); asked > right {
			t.Errorf("%v away: asked %d times for four segments, and %d times with a right clock", away, asked, right)
		}
	}
}

// askedForTerms is how often four segments of a stream have an orchestrator asked whose clock is so far
// from the gateway's.
func askedForTerms(t *testing.T, away time.Duration) int {
	t.Helper()
	o := newStaked(t, 1, 100)
	n := onChain(t, []staked{o})
	o.expires = func() time.Time { return n.clock.Now().Add(30*time.Minute + away) }
	n.push("/live/show/0.ts", media).want(t, media)
	asked := o.count(&o.tokens)
	for i := 1; i < 5; i++ {
		n.push(fmt.Sprintf("/live/show/%d.ts", i), media).want(t, media)
	}
	return o.count(&o.tokens) - asked
}
