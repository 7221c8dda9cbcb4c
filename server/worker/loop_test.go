package worker_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

func TestRegistersAndBringsResults(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if d.req.GetSecret() != secret || d.req.GetNode() != "tutti/0.0.1" || d.req.GetWorker() != "rig7" || d.req.GetInstance() != "i-1" {
		t.Errorf("registration %v", d.req)
	}
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 7}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	if got := c.loop.Status()[0]; got.Tasks != 1 || got.State != worker.Registered && got.State != worker.Connecting {
		t.Errorf("status %+v", got)
	}
	n.answer <- "done"
	r := next(t, b.results, "no result")
	h := r.header
	if r.body != "done" || r.proto != "HTTP/2.0" || h.Get("TaskId") != "7" || h.Get("Credentials") != secret || h.Get("Authorization") != "Livepeer-Transcoder-1.0" {
		t.Errorf("result %+v", r)
	}
	if h.Get(worker.InstanceHeader) != "" {
		t.Error("an unmodified orchestrator was told the instance")
	}
	if err := <-n.err; err != nil {
		t.Error(err)
	}
	until(t, "never registered", func() bool { return c.loop.Status()[0].State == worker.Registered })
	c.cancel()
	<-d.gone
}

func TestPermanentEnds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		err  error
		want fault.Code
	}{
		{"secret", errors.New("invalid secret"), fault.WorkerSecretRefused},
		{"capacity", errors.New("zero capacity"), fault.WorkerZeroCapacity},
		{"canceled", status.Error(codes.Canceled, "go home"), fault.WorkerDismissed},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBoss(t, "").start()
			b.refuses(row.err)
			c := hire(t, nil, b.addr)
			err := next(t, c.ended, "the worker goes on")
			c.ended <- err // for the clean-up
			if fault.CodeOf(err) != row.want {
				t.Errorf("ended with %v", err)
			}
			if strings.Contains(err.Error(), secret) {
				t.Error("the error tells the secret")
			}
			if got := c.loop.Status()[0]; got.State != worker.Refused || got.Code != row.want {
				t.Errorf("status %+v", got)
			}
		})
	}
}

func TestOneRefusalOfTwoIsACondition(t *testing.T) {
	t.Parallel()
	bad, fine := newBoss(t, "").start(), newBoss(t, "").start()
	bad.refuses(errors.New("invalid secret"))
	c := hire(t, nil, bad.addr, fine.addr)
	fine.hires()
	until(t, "no condition", func() bool { return c.has(fault.WorkerSecretRefused) })
	select {
	case err := <-c.ended:
		t.Fatal(err)
	default:
	}
}

func (c *crew) has(code fault.Code) bool {
	for _, one := range c.board.Snapshot() {
		if one.Code == code {
			return true
		}
	}
	return false
}

func TestComesBack(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		err  error
	}{
		{"clean end", nil},
		{"error", errors.New("out of paper")},
		{"unavailable", status.Error(codes.Unavailable, "later")},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBoss(t, "").start()
			hire(t, nil, b.addr)
			b.hires().end <- row.err
			b.hires()
		})
	}
}

func TestUnreachableIsACondition(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "")
	c := hire(t, nil, b.addr)
	until(t, "no condition", func() bool { return c.has(fault.WorkerNotRegistered) })
	b.start()
	b.hires()
	until(t, "the condition stays", func() bool { return !c.has(fault.WorkerNotRegistered) })
}

// An orchestrator that lets nobody in, without a reason, is not asked in a hurry.
func TestEndsAtOnceAreFailures(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "").start()
	b.refuses(errClean)
	c := hire(t, nil, b.addr)
	until(t, "no second attempt", func() bool { return b.attempts() >= 2 })
	if !c.has(fault.WorkerNotRegistered) {
		t.Error("no condition")
	}
	s := c.loop.Status()[0]
	if s.State == worker.Registered {
		t.Errorf("status %+v", s)
	}
}

func TestCancelEndsATask(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	for _, n := range []*rpc.NotifySegment{{TaskId: 1}, {TaskId: 1, Cancel: true}, {TaskId: 99, Cancel: true}} {
		if err := d.stream.Send(n); err != nil {
			t.Fatal(err)
		}
	}
	n := next(t, c.notices, "no notice")
	next(t, n.over, "the task goes on")
	until(t, "the task is still counted", func() bool { return c.loop.Status()[0].Tasks == 0 })
}

func TestBrokenResultIsBroughtAgain(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	b.mu.Lock()
	b.spoil = 1
	b.mu.Unlock()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	n.answer <- "done"
	if r := next(t, b.results, "no result"); r.body != "done" || r.header.Get(worker.InstanceHeader) != "i-1" {
		t.Errorf("result %+v", r)
	}
	if err := <-n.err; err != nil {
		t.Error(err)
	}
}

func TestRefusedResultHasTheOrchestratorsWords(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	b.mu.Lock()
	b.spoil = 9
	b.mu.Unlock()
	n.answer <- "done"
	if err := next(t, n.err, "no end"); fault.CodeOf(err) != fault.WorkerResultLost {
		t.Errorf("got %v", err)
	}
}

// A break may be unknown to the orchestrator: tasks outlive it.
func TestTasksOutliveABreak(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	b.cut()
	b.hires()
	n.answer <- "done"
	if r := next(t, b.results, "no result"); r.header.Get("TaskId") != "3" {
		t.Errorf("result %+v", r)
	}
}

// An orchestrator of our own kind that ends a registration waits for none of its tasks.
func TestTasksEndWithTheOrchestratorsWord(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	d.end <- errors.New("no result in time")
	next(t, n.over, "the task goes on")
	b.hires()
}

// A process that is gone waits for nothing, and its successor counts its tasks anew.
func TestTasksOfAGoneProcessEnd(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	if err := b.hires().stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	b.stop()
	next(t, n.over, "the task goes on")
}

func TestStopEndsTasks(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "").start()
	c := hire(t, nil, b.addr)
	if err := b.hires().stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	c.cancel()
	next(t, n.over, "the task goes on")
}

func TestDrainTellsOurOwnKind(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	drained := make(chan error, 1)
	go func() { drained <- c.loop.Drain(context.Background()) }()
	last := b.hires()
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
	b := newBoss(t, "").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
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
	c := hire(t, nil, newBoss(t, "").addr)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := c.loop.Drain(ctx); err != nil {
		t.Error(err)
	}
}

// A new offer takes the place of the old one, and the task of that goes on.
func TestOfferIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "tutti/0.0.1").start()
	c := hire(t, nil, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	c.offers(9)
	again := b.hires()
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
			b := newBoss(t, node).start()
			c := hire(t, nil, b.addr)
			d := b.hires()
			c.offers(0)
			if node != "" {
				if last := b.hires(); !last.req.GetDraining() {
					t.Errorf("registration %v", last.req)
				}
				d.end <- nil
			}
			until(t, "it stays", func() bool { return b.live.Load() == 0 })
			c.offers(2)
			if again := b.hires(); again.req.GetCapacity() != 2 || again.req.GetDraining() {
				t.Errorf("registration %v", again.req)
			}
		})
	}
}

// An unmodified orchestrator is told of a new offer by a new registration, when no
// task runs.
func TestOfferToOthersWaitsForAnIdleMoment(t *testing.T) {
	t.Parallel()
	b := newBoss(t, "").start()
	var ahead atomic.Int64
	c := hire(t, func(o *worker.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	}, b.addr)
	d := b.hires()
	if err := d.stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
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
	if again := b.hires(); again.req.GetCapacity() != 9 {
		t.Errorf("registration %v", again.req)
	}
}
