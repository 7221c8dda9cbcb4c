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
		w := newWorld(addressOf(1))
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
				t.Errorf("reorganized from %d, and the head is %d", from, head)
			}
			w.mine(0, w.reward)
			pass(10 * time.Second)
			if rewards != 1 {
				t.Errorf("%d rewards are published", rewards)
			}
		})
	})
}

// A reward that was read and not published yet is never published when its block is undone.
func TestUndoneRewardIsNotPublished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		h := &hung{world: w}
		w.follow(h, func(c *Chain) {
			pass(10 * time.Second)
			rewards := 0
			defer c.Subscribe(func(e protocol.Event) {
				if _, ok := e.(protocol.RewardSeen); ok {
					rewards++
				}
			})()
			h.hangs(&h.reads, true)
			w.mine(0, w.reward)
			pass(8 * time.Second)
			w.reorganize(1)
			h.hangs(&h.reads, false)
			w.mine(0, nil)
			pass(30 * time.Second)
			if rewards != 0 {
				t.Errorf("%d rewards are published, and none is on the chain", rewards)
			}
			w.mine(0, w.reward)
			pass(10 * time.Second)
			if rewards != 1 {
				t.Errorf("%d rewards are published of 1", rewards)
			}
		})
	})
}

// Unanswered requests about a fork take one interval and no more.
func TestForkWithoutAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		h := &hung{world: w}
		w.follow(h, func(c *Chain) {
			for range 100 {
				w.mine(0, nil)
				pass(250 * time.Millisecond)
			}
			h.hangs(&h.headers, true)
			w.reorganize(20)
			w.mine(0, w.join)
			pass(10 * time.Second)
			if v := c.View(); v.Head.Hash != w.last().head.Hash || v.PoolSize != 1 || v.Stale {
				t.Errorf("%+v", v)
			}
		})
	})
}
