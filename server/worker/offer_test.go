package worker_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

func TestDrainTellsOurOwnKind(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	drained := make(chan error, 1)
	go func() { drained <- c.loop.Drain(context.Background()) }()
	last := b.nextRegistration()
	if !last.req.GetDraining() || last.req.GetInstance() != "i-1" {
		t.Errorf("registration %v", last.req)
	}
	d.end <- nil // it has been replaced
	until(t, "not draining", func() bool { return c.loop.Status()[0].State == worker.Draining })
	select {
	case <-drained:
		t.Error("it left before its task was done")
	default:
	}
	n.answer <- "done"
	next(t, b.results, "no result")
	if err := next(t, drained, "it does not leave"); err != nil {
		t.Error(err)
	}
	<-last.gone
	if got := c.loop.Status()[0].State; got != worker.Left {
		t.Errorf("it is %q", got)
	}
}

func TestDrainLeavesOthersWhenIdle(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	drained := make(chan error, 1)
	go func() { drained <- c.loop.Drain(context.Background()) }()
	until(t, "it does not know", n.from.Draining)
	n.answer <- "done"
	next(t, b.results, "no result")
	if err := next(t, drained, "it does not leave"); err != nil {
		t.Error(err)
	}
	<-d.gone
}

func TestDrainWithoutAnOrchestrator(t *testing.T) {
	t.Parallel()
	c := startWorker(t, nil, newFakeOrchestrator(t, "").addr)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := c.loop.Drain(ctx); err != nil {
		t.Error(err)
	}
}

// A new offer takes the place of the old one, and the task of that goes on.
func TestOfferIsReplaced(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	c.offers(9)
	again := b.nextRegistration()
	if again.req.GetCapacity() != 9 || again.req.GetDraining() {
		t.Errorf("registration %v", again.req)
	}
	// What was sent before the old one ends is still read.
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 4}); err != nil {
		t.Fatal(err)
	}
	next(t, c.notices, "a notice was lost")
	d.end <- nil
	n.answer <- "done"
	next(t, b.results, "no result")
	if err := again.stream.Send(&rpc.NotifySegment{TaskId: 5}); err != nil {
		t.Fatal(err)
	}
	next(t, c.notices, "the new registration is not read")
}

// Nothing to offer: no registration; and back when there is.
func TestStaysAwayWithoutAnOffer(t *testing.T) {
	t.Parallel()
	for _, node := range []string{"", "tutti/0.0.1"} {
		t.Run("node "+node, func(t *testing.T) {
			t.Parallel()
			b := newFakeOrchestrator(t, node).start()
			c := startWorker(t, nil, b.addr)
			d := b.nextRegistration()
			c.offers(0)
			if node != "" {
				if last := b.nextRegistration(); !last.req.GetDraining() {
					t.Errorf("registration %v", last.req)
				}
				d.end <- nil
			}
			until(t, "it stays", func() bool { return b.live.Load() == 0 })
			c.offers(2)
			if again := b.nextRegistration(); again.req.GetCapacity() != 2 || again.req.GetDraining() {
				t.Errorf("registration %v", again.req)
			}
		})
	}
}

// An unmodified orchestrator learns a new offer from a new registration, when no
// task runs.
func TestOfferToOthersWaitsForAnIdleMoment(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	var ahead atomic.Int64
	c := startWorker(t, func(o *worker.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	}, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	c.offers(9)
	ahead.Store(int64(10 * time.Minute))
	if n := b.live.Load(); n != 1 {
		t.Errorf("%d registrations", n)
	}
	n.answer <- "done"
	next(t, b.results, "no result")
	until(t, "it is not told", func() bool {
		ahead.Add(int64(time.Second))
		return len(b.registered) > 0
	})
	if again := b.nextRegistration(); again.req.GetCapacity() != 9 {
		t.Errorf("registration %v", again.req)
	}
}
