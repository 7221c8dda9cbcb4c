package fairqueue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/fairqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// callers is a queue with jobs that wait in it, inside a synctest bubble.
type callers struct {
	l  *fairqueue.Queue
	mu sync.Mutex
	// served has the names in the order in which they got a slot.
	served   []string
	errs     map[string]error
	releases map[string]func()
}

func newCallers(slots, queue int) *callers {
	return &callers{
		l:    fairqueue.New(fairqueue.Options{Slots: slots, MaxWaiting: queue}),
		errs: make(map[string]error), releases: make(map[string]func()),
	}
}

// come lets a job of a party ask for a slot, and returns once it has one, waits
// or was refused.
func (c *callers) arrive(ctx context.Context, party, job string) {
	go func() {
		release, err := c.l.Acquire(ctx, party)
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

func (c *callers) finish(job string) {
	c.mu.Lock()
	release := c.releases[job]
	c.mu.Unlock()
	release()
	release() // more than once is harmless
	synctest.Wait()
}

func (c *callers) check(t *testing.T, slots, inUse, waiting int, served ...string) {
	t.Helper()
	if got := c.l.Stats(); got.Slots != slots || got.InUse != inUse || got.Waiting != waiting {
		t.Errorf("%+v, want %d slots, %d in use, %d waiting", got, slots, inUse, waiting)
	}
	if !slices.Equal(c.served, served) {
		t.Errorf("served %q, want %q", c.served, served)
	}
}

func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	shut := errors.New("broken")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		line func() *fairqueue.Queue
		want error
	}{
		{"a context that has ended, though a slot is free", gone,
			func() *fairqueue.Queue { return fairqueue.New(fairqueue.Options{Slots: 1}) }, context.Canceled},
		{"no queue", t.Context(), func() *fairqueue.Queue { return fairqueue.New(fairqueue.Options{}) },
			fairqueue.ErrFull},
		{"sizes below zero", t.Context(), func() *fairqueue.Queue {
			return fairqueue.New(fairqueue.Options{Slots: -1,
				MaxWaiting: -1})
		}, fairqueue.ErrFull},
		{"shut, though a slot is free", t.Context(), func() *fairqueue.Queue {
			l := fairqueue.New(fairqueue.Options{Slots: 1, MaxWaiting: 1})
			l.Shut(shut)
			return l
		}, shut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := tt.line()
			if release, err := l.Acquire(tt.ctx, "a"); !errors.Is(err, tt.want) || release != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if s := l.Stats(); s.InUse != 0 || s.Waiting != 0 {
				t.Errorf("left behind %+v", s)
			}
		})
	}
}

func TestPartiesTakeTurns(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newCallers(1, 10)
		for _, job := range []string{"a1", "a2", "a3", "a4", "b1", "c1", "b2"} {
			c.arrive(t.Context(), job[:1], job)
		}
		c.check(t, 1, 1, 6, "a1")
		for _, job := range []string{"a1", "a2", "b1", "c1", "a3", "b2", "a4"} {
			c.finish(job)
		}
		c.check(t, 1, 0, 0, "a1", "a2", "b1", "c1", "a3", "b2", "a4")
	})
}

func TestFullQueueAdmitsSmallerParty(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newCallers(0, 4)
		for i := range 4 {
			c.arrive(t.Context(), "greedy", fmt.Sprint("greedy", i))
		}
		c.arrive(t.Context(), "greedy", "one too many")
		c.arrive(t.Context(), "modest", "modest0")
		c.arrive(t.Context(), "modest", "modest1")
		c.arrive(t.Context(), "modest", "modest2") // both have two: none is evicted
		for job, want := range map[string]error{"one too many": fairqueue.ErrFull, "greedy3": fairqueue.ErrFull,
			"greedy2": fairqueue.ErrFull, "modest2": fairqueue.ErrFull, "greedy1": nil, "modest1": nil} {
			if !errors.Is(c.errs[job], want) {
				t.Errorf("%s: %v, want %v", job, c.errs[job], want)
			}
		}
		c.check(t, 0, 0, 4)
		c.l.Resize(4)
		synctest.Wait()
		slices.Sort(c.served)
		c.check(t, 4, 4, 0, "greedy0", "greedy1", "modest0", "modest1")
	})
}

func TestWithdrawal(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newCallers(1, 3)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c.arrive(t.Context(), "a", "a1")
		c.arrive(short, "a", "a2")
		c.arrive(t.Context(), "a", "a3")
		if s := c.l.Stats(); s.Oldest != 0 || s.Waiting != 2 {
			t.Errorf("%+v", s)
		}
		<-time.After(1500 * time.Millisecond)
		synctest.Wait()
		if !errors.Is(c.errs["a2"], context.DeadlineExceeded) {
			t.Errorf("got %v", c.errs["a2"])
		}
		if s := c.l.Stats(); s.Oldest != 1500*time.Millisecond || s.Waiting != 1 {
			t.Errorf("%+v", s)
		}
		c.finish("a1")
		c.finish("a3")
		c.check(t, 1, 0, 0, "a1", "a3")
	})
}

func TestResize(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newCallers(2, 9)
		for i := range 5 {
			c.arrive(t.Context(), "a", fmt.Sprint(i))
		}
		c.check(t, 2, 2, 3, "0", "1")
		c.l.Resize(3)
		synctest.Wait()
		c.check(t, 3, 3, 2, "0", "1", "2")
		c.l.Resize(1)
		c.finish("0")
		c.finish("1")
		c.check(t, 1, 1, 2, "0", "1", "2") // three were in use, one may be
		c.finish("2")
		c.finish("3")
		c.finish("4")
		c.check(t, 1, 0, 0, "0", "1", "2", "3", "4")
	})
}

func TestShut(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		why := errors.New("broken")
		c := newCallers(1, 9)
		c.arrive(t.Context(), "a", "in work")
		c.arrive(t.Context(), "a", "waits")
		c.arrive(t.Context(), "b", "waits too")
		c.l.Shut(why)
		synctest.Wait()
		c.arrive(t.Context(), "c", "late")
		for _, job := range []string{"waits", "waits too", "late"} {
			if !errors.Is(c.errs[job], why) {
				t.Errorf("%s: %v", job, c.errs[job])
			}
		}
		c.check(t, 1, 1, 0, "in work")
		c.l.Open()
		c.arrive(t.Context(), "a", "again")
		c.finish("in work")
		c.check(t, 1, 1, 0, "in work", "again")
	})
}
