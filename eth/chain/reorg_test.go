package chain

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// A chain that falls below all that is remembered is followed at once.
func TestChainFallsFar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(who(1))
		w.run(func(c *Chain) {
			for range 600 {
				w.mine(0, nil)
				pass(250 * time.Millisecond)
			}
			pass(10 * time.Second)
			rewards, from := 0, protocol.L2Block(0)
			defer c.Subscribe(func(e protocol.Event) {
				switch e := e.(type) {
				case protocol.RewardSeen:
					rewards++
				case protocol.Reorganized:
					from = e.From
				}
			})()
			w.reorganize(500)
			w.mine(0, nil)
			pass(time.Second)
			if head := w.last().head.Number; from != head {
				t.Errorf("reorganised from %d, and the head is %d", from, head)
			}
			w.mine(0, w.reward)
			pass(10 * time.Second)
			if rewards != 1 {
				t.Errorf("%d rewards are told", rewards)
			}
		})
	})
}
