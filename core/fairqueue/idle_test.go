package fairqueue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core/fairqueue"
)

// arriveIdle is arrive for an idle slot.
func (c *callers) arriveIdle(ctx context.Context, party, job string) {
	go func() {
		release, err := c.l.AcquireIdle(ctx, party)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil {
			c.errs[job] = err
			return
		}
		c.served = append(c.served, job)
		c.releases[job] = release
	}()
	synctest.Wait()
}

// Idle work gets a slot once no other caller waits, in turns among its parties.
func TestIdleComesLast(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newCallers(1, 2)
		for _, job := range []string{"x1", "x2", "x3", "y1"} {
			c.arriveIdle(t.Context(), job[:1], job)
		}
		c.check(t, 1, 1, 0, "x1")
		c.arrive(t.Context(), "a", "a1") // the queue of 2 does not count those
		c.arrive(t.Context(), "b", "b1")
		for _, job := range []string{"x1", "a1", "b1", "x2", "y1"} {
			c.finish(job)
		}
		c.check(t, 1, 1, 0, "x1", "a1", "b1", "x2", "y1", "x3")
		c.finish("x3")
		c.arriveIdle(t.Context(), "x", "x4") // there is a free slot
		c.check(t, 1, 1, 0, "x1", "a1", "b1", "x2", "y1", "x3", "x4")
		c.finish("x4")
	})
}

// Idle work that waits can be withdrawn and refused as other work.
func TestIdleEnds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		why := errors.New("broken")
		c := newCallers(1, 0)
		c.arrive(t.Context(), "a", "a1")
		short, cancel := context.WithCancel(t.Context())
		c.arriveIdle(short, "x", "x1")
		c.arriveIdle(t.Context(), "x", "x2")
		cancel()
		synctest.Wait()
		c.l.Shut(why)
		synctest.Wait()
		c.finish("a1")
		if !errors.Is(c.errs["x1"], context.Canceled) || !errors.Is(c.errs["x2"], why) {
			t.Errorf("refused %v", c.errs)
		}
		c.check(t, 1, 0, 0, "a1")
		c.l.Open()
		if full := newCallers(0, 0); full.l.Stats() != (fairqueue.Stats{}) {
			t.Error("a new queue is not empty")
		}
	})
}
