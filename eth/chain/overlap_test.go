package chain

import (
	"testing"
	"testing/synctest"
	"time"
)

// Where one request takes ten blocks, a poll asks for the new ones and ten more.
func TestOverlapOfSmallRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.span = 10
		asked := func() uint64 {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.asked
		}
		w.run(func(c *Chain) {
			for range 200 {
				w.mine(0, nil)
				pass(250 * time.Millisecond)
			}
			before, wide := asked(), w.counted()["logs"]
			for range 400 {
				w.mine(0, nil)
				pass(250 * time.Millisecond)
			}
			polls := uint64(w.counted()["logs"] - wide)
			if more := asked() - before; more > 420+10*polls {
				t.Errorf("%d polls asked for %d blocks, and 400 were new", polls, more)
			}
		})
	})
}
