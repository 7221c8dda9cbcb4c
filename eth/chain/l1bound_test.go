package chain

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

const slot = 12 * time.Second

// runSlots follows a world whose layer 1 has a block in a slot, for longer than heights are learned, and then f.
func runSlots(t *testing.T, f func(w *world, c *Chain)) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		w := newWorld(addressOf(1))
		w.blockTime = slot
		w.run(func(c *Chain) {
			w.slots(int((learningTime + anchorAge) / slot))
			f(w, c)
		})
	})
}

// slots lets time pass in which layer 1 makes blocks.
func (w *world) slots(n int) {
	for range n {
		pass(slot)
		w.mine(w.last().head.L1+1, nil)
	}
	pass(time.Second)
}

// lie has the contracts and a new head give a layer-1 height; 0 for the truth.
func (w *world) lie(l1 protocol.L1Block) {
	w.mu.Lock()
	w.falseL1 = l1
	w.mu.Unlock()
	if l1 != 0 {
		w.headWith(l1)
	}
}

// contradicted are the conditions about false answers of endpoints.
func contradicted(c *Chain) (about []string) {
	for _, o := range c.opt.Board.Snapshot() {
		if o.Code == fault.RPCContradicted {
			about = append(about, o.About)
		}
	}
	return about
}

// A single false height, which the contracts give too, changes nothing: neither the height nor the round. The endpoint
// is named, and the next answer is taken.
func TestOneFalseHeightChangesNothing(t *testing.T) {
	runSlots(t, func(w *world, c *Chain) {
		var h received
		defer c.Subscribe(h.take)()
		for _, l1 := range []protocol.L1Block{400_000_000, w.last().head.L1 + 2*worldLength, 20} {
			w.lie(l1)
			pass(2 * time.Second)
			w.lie(0)
			w.slots(2)
			if v, top := c.View(), w.last().head.L1; h.l1 > top || v.Head.L1 != top || v.Stale {
				t.Errorf("after a false height of %d the node saw %d and is at %d, and layer 1 at %d; stale: %v", l1, h.l1,
					v.Head.L1, top, v.Stale)
			}
		}
		if about := contradicted(c); !slices.Equal(about, []string{"world"}) {
			t.Errorf("named: %q", about)
		}
		w.slots(int(shownFalse/slot) + 5)
		if about := contradicted(c); len(about) != 0 {
			t.Errorf("still named: %q", about)
		}
	})
}

// Heights that rise in small steps, which each are plausible after the one before, come no further than one such step.
func TestHeightsDoNotCreep(t *testing.T) {
	runSlots(t, func(w *world, c *Chain) {
		var h received
		defer c.Subscribe(h.take)()
		for i := range 40 {
			w.lie(w.last().head.L1 + protocol.L1Block(i)*maxHeightStep*9/10)
			pass(time.Second)
		}
		w.lie(0)
		if top := w.last().head.L1; h.l1 > top+maxHeightStep+10 {
			t.Errorf("the node went to %d, and layer 1 is at %d", h.l1, top)
		}
	})
}

// Heights that the clock explains are taken at once: after many hours without a new block, and after hours in which an
// endpoint gave new blocks with an old height.
func TestHeightsCatchUp(t *testing.T) {
	runSlots(t, func(w *world, c *Chain) {
		same := func(why string) {
			t.Helper()
			pass(2 * time.Second)
			if v, top := c.View(), w.last().head.L1; v.Head.L1 != top || len(contradicted(c)) != 0 {
				t.Errorf("%s: the node is at %d, and layer 1 at %d; named: %q", why, v.Head.L1, top, contradicted(c))
			}
		}
		pass(30 * time.Hour)
		w.mine(w.last().head.L1+30*300, nil)
		same("after 30 hours of silence")
		for range 3 * 60 * 60 / 10 {
			pass(10 * time.Second)
			w.mine(0, nil)
		}
		w.mine(w.last().head.L1+3*300, nil)
		same("after three hours at one height")
	})
}

// A height that nothing explains is taken once the contracts have given it for a while: the clock may be wrong.
func TestUnexplainedHeightsAreTakenLater(t *testing.T) {
	runSlots(t, func(w *world, c *Chain) {
		w.mine(w.last().head.L1+5000, nil)
		pass(heightPatience - 10*time.Second)
		if v, top := c.View(), w.last().head.L1; v.Head.L1 == top {
			t.Error("taken at once")
		}
		w.slots(3)
		if v, top := c.View(), w.last().head.L1; v.Head.L1 != top || v.Stale {
			t.Errorf("the node is at %d, and layer 1 at %d; stale: %v", v.Head.L1, top, v.Stale)
		}
		w.slots(10)
		if about := contradicted(c); len(about) != 0 {
			t.Errorf("still named: %q", about)
		}
	})
}

// The bound holds from the start where a run before knew a height, and not where its clock was ahead.
func TestTheBoundSurvivesARestart(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		at   time.Time
		h    protocol.L1Block
		want bool
	}{
		"a day later":              {now.Add(-24 * time.Hour), 1000 + 7200, true},
		"far above":                {now.Add(-24 * time.Hour), 1000 + 9000, false},
		"of a clock that was fast": {now.Add(24 * time.Hour), 90_000, true},
		"none":                     {time.Time{}, 90_000, true},
	} {
		l := l1Bound{blockTime: slot}
		l.restore(l1Point{1000, tt.at}, now)
		if got := l.allows(tt.h, now); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// One low answer, at the first start or later, does not make the true height implausible.
func TestALowHeightBoundsNothing(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	l := l1Bound{blockTime: slot}
	l.take(7, now)
	for i := range 3 * 300 {
		now = now.Add(slot)
		h := 20_000_000 + protocol.L1Block(i)
		if !l.allows(h, now) {
			t.Fatalf("slot %d is not allowed", i)
		}
		l.take(h, now)
		l.take(7, now)
	}
	// Nor does an answer after a long sleep.
	now = now.Add(9 * time.Hour)
	l.take(7, now)
	if h := protocol.L1Block(20_000_000 + 900 + 9*300); !l.allows(h, now) || l.allows(h+150, now) {
		t.Errorf("after a sleep: %+v", l)
	}
}
