package worker_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/worker"
)

func TestRegistersAndBringsResults(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	if d.req.GetSecret() != secret || d.req.GetNode() != "tutti/0.0.1" || d.req.GetWorker() != "rig7" ||
		d.req.GetInstance() != "i-1" {
		t.Errorf("registration %v", d.req)
	}
	n := d.sendTask(t, c, 7)
	if got := c.loop.Status()[0]; got.Tasks != 1 || got.State != worker.Registered && got.State != worker.Connecting {
		t.Errorf("status %+v", got)
	}
	n.answer <- "done"
	r := next(t, b.results, "no result")
	h := r.header
	if r.body != "done" || r.proto != "HTTP/2.0" || h.Get("TaskId") != "7" || h.Get("Credentials") != secret ||
		h.Get("Authorization") != "Livepeer-Transcoder-1.0" {
		t.Errorf("result %+v", r)
	}
	if h.Get(remote.InstanceHeader) != "i-1" {
		t.Error("the instance is missing: a tutti orchestrator whose header came late would refuse the result")
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
			b := newFakeOrchestrator(t, "").start()
			b.refuses(row.err)
			c := startWorker(t, nil, b.addr)
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
	bad, fine := newFakeOrchestrator(t, "").start(), newFakeOrchestrator(t, "").start()
	bad.refuses(errors.New("invalid secret"))
	// In a process that is several workers it says which of them is meant.
	c := startWorker(t, func(o *worker.Options) { o.Kind = "transcoder" }, bad.addr, fine.addr)
	fine.nextRegistration()
	until(t, "no condition", func() bool { return c.has(fault.WorkerSecretRefused) })
	if one := c.board.Snapshot()[0]; one.About != "transcoder at "+bad.addr {
		t.Errorf("it is about %q", one.About)
	}
	select {
	case err := <-c.ended:
		t.Fatal(err)
	default:
	}
}

func (c *testWorker) has(code fault.Code) bool {
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
			b := newFakeOrchestrator(t, "").start()
			startWorker(t, nil, b.addr)
			b.nextRegistration().end <- row.err
			b.nextRegistration()
		})
	}
}

func TestUnreachableIsACondition(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "")
	c := startWorker(t, nil, b.addr)
	until(t, "no condition", func() bool { return c.has(fault.WorkerNotRegistered) })
	b.start()
	b.nextRegistration()
	until(t, "the condition stays", func() bool { return !c.has(fault.WorkerNotRegistered) })
}

// An orchestrator that lets no worker in, without a reason, is not asked in a hurry.
func TestEndsAtOnceAreFailures(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	b.refuses(errClean)
	c := startWorker(t, nil, b.addr)
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
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
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
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	b.mu.Lock()
	b.spoil = 1
	b.mu.Unlock()
	n := d.sendTask(t, c, 3)
	n.answer <- "done"
	if r := next(t, b.results, "no result"); r.body != "done" || r.header.Get(remote.InstanceHeader) != "i-1" {
		t.Errorf("result %+v", r)
	}
	if err := <-n.err; err != nil {
		t.Error(err)
	}
}

func TestRefusedResultHasTheOrchestratorsWords(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
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
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	b.cut()
	b.nextRegistration()
	select {
	case n.answer <- "done":
	case <-n.over:
		t.Fatal("the task was ended")
	}
	if r := next(t, b.results, "no result"); r.header.Get("TaskId") != "3" {
		t.Errorf("result %+v", r)
	}
}

// An orchestrator that runs and refuses a registration is not gone, whatever words it has
// for that.
func TestTasksOutliveARefusalInAnyWords(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	b.refuses(status.Error(codes.Unavailable, "database: connection refused"))
	before := b.attempts()
	b.cut()
	until(t, "another attempt", func() bool { return b.attempts() > before })
	b.refuses(nil)
	b.nextRegistration()
	select {
	case n.answer <- "done":
	case <-n.over:
		t.Fatal("the task was ended")
	}
	if r := next(t, b.results, "no result"); r.header.Get("TaskId") != "3" {
		t.Errorf("result %+v", r)
	}
}

// An orchestrator of our own kind that ends a registration waits for none of its tasks.
func TestTasksEndWithTheOrchestratorsWord(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	d := b.nextRegistration()
	n := d.sendTask(t, c, 3)
	d.end <- errors.New("no result in time")
	next(t, n.over, "the task goes on")
	b.nextRegistration()
}

// A process that is gone waits for nothing, and its successor counts its tasks anew.
func TestTasksOfAGoneProcessEnd(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "tutti/0.0.1").start()
	c := startWorker(t, nil, b.addr)
	if err := b.nextRegistration().stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	b.stop()
	next(t, n.over, "the task goes on")
}

// A notice that was sent again after a break does not end the task that it is of; from an
// orchestrator of another kind it is another task.
func TestATaskThatRunsIsNotBegunAnew(t *testing.T) {
	t.Parallel()
	for _, node := range []string{"tutti/0.0.1", ""} {
		t.Run("node "+node, func(t *testing.T) {
			t.Parallel()
			b := newFakeOrchestrator(t, node).start()
			c := startWorker(t, nil, b.addr)
			d := b.nextRegistration()
			var got []notice
			for _, id := range []int64{3, 3, 4} {
				if err := d.stream.Send(&rpc.NotifySegment{TaskId: id}); err != nil {
					t.Fatal(err)
				}
				if id == 4 || len(got) == 0 || node == "" {
					got = append(got, next(t, c.notices, "no notice"))
				}
			}
			if last := got[len(got)-1]; last.GetTaskId() != 4 {
				t.Errorf("task %d", last.GetTaskId())
			}
			if node == "" {
				next(t, got[0].over, "the old task goes on")
				return
			}
			select {
			case <-got[0].over:
				t.Error("the task was ended")
			default:
			}
		})
	}
}

func TestStopEndsTasks(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	c := startWorker(t, nil, b.addr)
	if err := b.nextRegistration().stream.Send(&rpc.NotifySegment{TaskId: 3}); err != nil {
		t.Fatal(err)
	}
	n := next(t, c.notices, "no notice")
	c.cancel()
	next(t, n.over, "the task goes on")
}
