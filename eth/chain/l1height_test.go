package chain

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// headWith mines a block and tells of it with another layer-1 height than it has.
func (w *world) headWith(l1 protocol.L1Block) {
	w.hush(true)
	w.mine(0, nil)
	w.hush(false)
	head := w.last().head
	head.L1 = l1
	w.heads <- head
}

// received are the rounds, layer-1 heights and reorgs that a world's node is
// notified of.
type received struct {
	rounds []protocol.Round
	l1     protocol.L1Block
	reorgs int
}

func (h *received) take(e protocol.Event) {
	switch e := e.(type) {
	case protocol.RoundSeen:
		h.rounds = append(h.rounds, e.Round.Number)
	case protocol.HeadSeen:
		h.l1 = max(h.l1, e.Head.L1)
	case protocol.Reorganized:
		h.reorgs++
	}
}

// An endpoint whose headers have no layer-1 height, next to one whose headers do,
// moves neither the round nor the height, and is no reorg.
func TestAbsurdHeightBesideATrueOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			pass(10 * time.Second)
			var h received
			defer c.Subscribe(h.take)()
			before := w.counted()["batch"]
			for range 40 {
				w.headWith(400_000_000)
				pass(250 * time.Millisecond)
				w.mine(0, nil)
				pass(250 * time.Millisecond)
			}
			if len(h.rounds) != 0 || h.reorgs != 0 || h.l1 != worldStart {
				t.Errorf("published %+v", h)
			}
			if v := c.View(); v.Round.Number != worldRound || v.Head.L1 != worldStart || !v.Self.Active {
				t.Errorf("%+v", v)
			}
			// Two batches a poll, and one step for the first of them.
			if more := w.counted()["batch"] - before; more > 10 {
				t.Errorf("%d batches in 20 s", more)
			}
		})
	})
}

// Where no endpoint gives the layer-1 height, the contracts do.
func TestOnlyAbsurdHeights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		<-w.heads
		w.headWith(400_000_000)
		w.run(func(c *Chain) {
			pass(time.Second)
			if v := c.View(); v.Round.Number != worldRound || v.Head.L1 != worldStart {
				t.Errorf("at first: %+v", v)
			}
			w.hush(true)
			w.mine(worldStart+3*worldLength, nil)
			for range 4 {
				w.headWith(400_000_000)
				pass(2 * time.Second)
			}
			if v := c.View(); v.Round.Number != worldRound+3 || v.Head.L1 != worldStart+3*worldLength {
				t.Errorf("three rounds later: %+v", v)
			}
		})
	})
}

// A height that rises much is taken at once where the contracts say so too.
func TestRoundsPassAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			pass(time.Second)
			for i := range 3 {
				l1 := protocol.L1Block(worldStart + (i+1)*5*worldLength)
				w.mine(l1, nil)
				pass(10 * time.Millisecond)
				if v := c.View(); v.Head.L1 != l1 || v.Round.Number != protocol.Round(worldRound+5*(i+1)) {
					t.Errorf("%+v", v)
				}
			}
		})
	})
}

// A height that falls is a reorg also where no hash shows it.
func TestHeightFalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.run(func(c *Chain) {
			pass(time.Second)
			w.hush(true)
			w.mine(0, nil)
			w.hush(false)
			w.mine(worldStart+50, nil)
			pass(time.Second)
			var h received
			defer c.Subscribe(h.take)()
			w.hush(true)
			w.reorganize(1)
			for range 3 {
				w.mine(0, nil)
			}
			w.hush(false)
			w.mine(0, nil)
			pass(2 * time.Second)
			if v := c.View(); h.reorgs != 1 || v.Head.L1 != worldStart || v.Head.Hash != w.last().head.Hash {
				t.Errorf("%+v, published %+v", v, h)
			}
		})
	})
}
