package gateway_test

import (
	"testing"
	"time"
)

// An orchestrator whose tokens always need to be renewed, and that takes its time for that, delays each
// segment as much as one that works slowly. The stream leaves it for another.
func TestSlowRenewalsAreLeft(t *testing.T) {
	t.Parallel()
	a, b := newFake(t), newFake(t)
	soon := func() time.Time { return time.Now().Add(2 * time.Minute) }
	a.expires, b.expires = soon, soon
	n := start(t, []string{a.uri, b.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	first, second := a, b
	if len(a.seen()) == 0 {
		first, second = b, a
	}
	wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
	first.set(behavior{discoveryHang: true})
	n.push("/live/show/1.ts", media).want(t, media) // after 2.5 s
	if len(first.seen()) != 2 {
		t.Errorf("%d segments are at the slow one", len(first.seen()))
	}
	for _, path := range []string{"/live/show/2.ts", "/live/show/3.ts"} {
		n.push(path, media).want(t, media)
	}
	if len(first.seen()) != 2 || len(second.seen()) != 2 {
		t.Errorf("%d segments are at the slow one, %d at the other", len(first.seen()), len(second.seen()))
	}
}
