package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/worker"
)

func TestClientKeepsTheContract(t *testing.T) {
	t.Parallel()
	coretest.EngineContract(t, func(tb testing.TB) coretest.Engine { return start(tb, nil) }, coretest.FakeClips())
}

func TestADeathFailsItsJobsAndTheNextChildServes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		input string
		hit   func(pid int)
		want  fault.Code
		says  string
	}{
		"exit":   {input: "do:crash", want: fault.WorkerCrashed, says: "exit status 42"},
		"panic":  {input: "do:panic", want: fault.WorkerCrashed, says: "as asked"},
		"killed": {input: "do:hang", hit: send(syscall.SIGKILL), want: fault.WorkerCrashed, says: "killed"},
		"segv":   {input: "do:hang", hit: send(syscall.SIGSEGV), want: fault.WorkerCrashed, says: "SIGSEGV"},
		"stop":   {input: "do:hang", hit: send(syscall.SIGSTOP), want: fault.WorkerUnresponsive, says: "no heartbeat"},
		"eat":    {input: "do:eat", want: fault.WorkerOutOfMemory, says: "MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, func(o *worker.Options) { o.Memory = 400 << 20 })
			first := c.Status().PID
			if test.hit != nil {
				await(t, func() bool { return c.Status().Active == 1 }, func() { test.hit(first) })
			}
			_, err := c.Transcode(t.Context(), job("s", test.input))
			if fault.CodeOf(err) != test.want || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("got %v, want %s with %q", err, test.want, test.says)
			}
			if res, err := c.Transcode(t.Context(), job("s", "good")); err != nil || len(res.Renditions) != 2 {
				t.Fatalf("after it: %v", err)
			}
			if s := c.Status(); s.PID == first || s.Restarts != 1 {
				t.Errorf("status %+v, first child %d", s, first)
			}
		})
	}
}

func send(sig syscall.Signal) func(pid int) { return func(pid int) { _ = syscall.Kill(pid, sig) } }

// await runs then as soon as cond holds, alongside the test.
func await(t *testing.T, cond func() bool, then func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for !cond() {
			select {
			case <-t.Context().Done():
				return
			case <-ticker.C:
			}
		}
		then()
	})
	t.Cleanup(wg.Wait)
}

func TestReplaceFailsWhatIsInTheChild(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	await(t, func() bool { return c.Status().Active == 2 }, func() { c.Replace(fault.TranscodeTimeout) })
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			_, err := c.Transcode(t.Context(), job(core.SessionID(fmt.Sprint(i)), "do:hang"))
			if !errors.Is(err, fault.WorkerReplaced) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	if _, err := c.Transcode(t.Context(), job("0", "good")); err != nil {
		t.Error(err)
	}
}

func TestACanceledJobFreesItsCallerAtOnce(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	await(t, func() bool { return c.Status().Active == 1 }, cancel)
	_, err := c.Transcode(ctx, job("s", "do:wait"))
	if !errors.Is(err, fault.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Transcode(t.Context(), job("s", "good")); err != nil {
		t.Error(err)
	}
}

func TestAnEngineThatDoesNotOpenSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := worker.Start(t.Context(), worker.Options{Device: "broken", Args: []string{childArg}})
	if !errors.Is(err, fault.WorkerStartFailed) || !strings.Contains(err.Error(), "no such device") ||
		!errors.Is(err, fault.TranscoderInvalidHardware) {
		t.Errorf("got %v", err)
	}
}

func TestAProgramThatIsNoWorker(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/bin/true", "/bin/cat", "/nonexistent"} {
		_, err := worker.Start(t.Context(), worker.Options{Device: "cpu", Path: path})
		if !errors.Is(err, fault.WorkerStartFailed) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAlone(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	e, err := c.Alone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Transcode(t.Context(), job("s", "good")); err != nil {
		t.Error(err)
	}
	if _, err := e.Transcode(t.Context(), job("s", "do:crash")); !errors.Is(err, fault.WorkerCrashed) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Transcode(t.Context(), job("s", "good")); !errors.Is(err, fault.WorkerCrashed) {
		t.Errorf("a lonely child was replaced: %v", err)
	}
	if _, err := c.Transcode(t.Context(), job("s", "good")); err != nil || c.Status().Restarts != 0 {
		t.Errorf("the device's own child suffered: %v", err)
	}
}

// until waits for a condition.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	for !cond() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatal("never: " + what)
		}
	}
}

// An idle child that holds memory is exchanged, which nobody notices.
func TestAnIdleChildGivesItsMemoryBack(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *worker.Options) {
		o.IdleMemory = 1
		*o = worker.Hurry(*o, 40*time.Millisecond, time.Minute)
	})
	pid := c.Status().PID
	for n := range 20 {
		if _, err := c.Transcode(t.Context(), job("s", "good")); err != nil {
			t.Fatalf("segment %d: %v", n, err)
		}
	}
	until(t, "a fresh child", func() bool { return c.Status().PID != pid })
	if _, err := c.Transcode(t.Context(), job("s", "good")); err != nil || c.Status().Restarts != 0 {
		t.Errorf("after it: %v, %+v", err, c.Status())
	}
}

func TestASegmentThatNobodyWaitsForMustEnd(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *worker.Options) { *o = worker.Hurry(*o, time.Minute, 100*time.Millisecond) })
	ctx, cancel := context.WithCancel(t.Context())
	await(t, func() bool { return c.Status().Active == 1 }, cancel)
	if _, err := c.Transcode(ctx, job("s", "do:hang")); !errors.Is(err, fault.Canceled) {
		t.Errorf("got %v", err)
	}
	until(t, "the worker is replaced", func() bool { s := c.Status(); return s.Restarts == 1 && s.PID != 0 })
	if _, err := c.Transcode(t.Context(), job("s", "good")); err != nil {
		t.Error(err)
	}
}

// A segment whose time runs out before there is a child was never in work: its end must
// not look like a segment's that takes too long, which somebody would pay for.
func TestTimeWithoutAChildIsNobodysToPay(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	for range 3 {
		_, _ = c.Transcode(t.Context(), job("s", "do:crash"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := c.Transcode(ctx, job("s", "good")); fault.CodeOf(err) != fault.TranscoderBusy {
		t.Errorf("while the next child is waited for: %v", err)
	}
	<-ctx.Done()
	// Nor does it count against the device when a stream uses up its time before its own child is ready.
	if _, err := c.Alone(ctx); fault.CodeOf(err) != fault.TranscoderBusy {
		t.Errorf("without time for a child of its own: %v", err)
	}
}

func TestChildrenThatDieAgainAndAgainMakeTheDeviceWait(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	var err error
	for range 20 {
		if _, err = c.Transcode(t.Context(), job("s", "do:crash")); errors.Is(err, fault.WorkerQuarantined) {
			break
		}
	}
	if !errors.Is(err, fault.WorkerQuarantined) || !errors.Is(err, fault.WorkerCrashed) {
		t.Fatalf("no quarantine: %v", err)
	}
	if s := c.Status(); !s.Quarantined || s.Fault == nil || s.Restarts < 5 {
		t.Errorf("status %+v", s)
	}
	until(t, "the device is tried again", func() bool { return c.Status().PID != 0 })
	if _, err := c.Transcode(t.Context(), job("s", "good")); err != nil {
		t.Error(err)
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c, err := worker.Start(b.Context(), worker.Options{Device: "cpu", Args: []string{childArg}})
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkSegment is the whole way of a segment that costs nothing in between:
// the input there, two small renditions back.
func BenchmarkSegment(b *testing.B) {
	for name, size := range map[string]int{"empty": 0, "1.5MB": 1_500_000, "15MB": 15_000_000} {
		b.Run(name, func(b *testing.B) {
			c := start(b, nil)
			j := job("s", "")
			j.Input = make([]byte, size)
			for b.Loop() {
				if _, err := c.Transcode(b.Context(), j); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
