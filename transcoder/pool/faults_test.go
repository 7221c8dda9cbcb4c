package pool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
	"github.com/tuttinode/tutti/transcoder/worker"
)

const childArg = "be-a-media-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		if err := worker.Main(context.Background(), openChild); err != nil {
			fmt.Fprintln(os.Stderr, "media worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// openChild makes a fake whose jobs take a moment. Some inputs are dangerous in
// company and harmless alone, some always.
func openChild(string) (transcoder.Engine, error) {
	f := &coretest.Fake{Latency: 20 * time.Millisecond}
	f.On = func(_ context.Context, _ int, job *core.TranscodeJob) error {
		company := f.Active() > 1
		switch {
		case bytes.HasPrefix(job.Input, []byte("poison")):
			os.Exit(7)
		case bytes.HasPrefix(job.Input, []byte("eat")) && company:
			eat()
		}
		return nil
	}
	return f, nil
}

func eat() {
	var kept [][]byte
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		runtime.KeepAlive(kept)
	}
}

// eightAtOnce is a worker that gets eight segments at once, on whatever machine.
type eightAtOnce struct{ *worker.Client }

func (eightAtOnce) Parallel() int { return 8 }

// farm is a pool over one real worker process.
func farm(t *testing.T) (*pool.Pool, *worker.Client) {
	t.Helper()
	c, err := worker.Start(t.Context(), worker.Options{Device: "cpu", Args: []string{childArg}, Memory: 600 << 20})
	if err != nil {
		t.Fatal(err)
	}
	p := pool.New([]transcoder.Engine{eightAtOnce{c}}, pool.Options{MaxSessions: 20})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, c
}

// streams runs n streams until stop is closed and at least some segments each.
// failed counts segments that their caller saw fail; what a gateway waits for
// bounds each.
func streams(
	t *testing.T, p *pool.Pool, n int, stop <-chan struct{}, odd func(stream, segment int) string,
) (failed *atomic.Int32, wait func()) {
	failed = new(atomic.Int32)
	var wg sync.WaitGroup
	for s := range n {
		wg.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
				}
				job := segment(fmt.Sprint("stream", s), k)
				job.Input = bytes.Repeat([]byte("x"), 200_000)
				if odd != nil {
					if input := odd(s, k); input != "" {
						job.Input = []byte(input)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), core.WorkDeadline(job.Duration))
				if _, err := p.Transcode(ctx, job); err != nil {
					failed.Add(1)
					t.Logf("stream %d segment %d: %v", s, k, err)
				}
				cancel()
			}
		})
	}
	return failed, wg.Wait
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

func TestEightStreamsDoNotNoticeADeadWorker(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"kill": syscall.SIGKILL, "stop": syscall.SIGSTOP,
		"segv": syscall.SIGSEGV} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, c := farm(t)
			stop := make(chan struct{})
			failed, wait := streams(t, p, 8, stop, nil)
			for round := range 2 {
				var pid int
				until(t, "eight segments in work", func() bool {
					s := c.Status()
					pid = s.PID
					return s.Active == 8
				})
				hit := time.Now()
				if err := syscall.Kill(pid, sig); err != nil {
					t.Fatal(err)
				}
				until(t, "whole again", func() bool {
					s := c.Status()
					return s.PID != 0 && s.PID != pid && s.Active == 8 && s.Restarts == round+1
				})
				t.Logf("round %d: whole again after %v", round, time.Since(hit).Round(time.Millisecond))
			}
			close(stop)
			wait()
			if n := failed.Load(); n != 0 {
				t.Errorf("%d segments failed", n)
			}
		})
	}
}

func TestMemoryExhaustionCostsNobodyElse(t *testing.T) {
	t.Parallel()
	p, c := farm(t)
	stop := make(chan struct{})
	failed, wait := streams(t, p, 8, stop, func(stream, segment int) string {
		// One that happens to be alone in the worker does no harm.
		if stream == 3 && segment >= 5 && c.Status().Restarts == 0 {
			return "eat"
		}
		return ""
	})
	// On a busy machine the segment may meet a second worker before it is given up.
	until(t, "the worker is replaced", func() bool { s := c.Status(); return s.Restarts >= 1 && s.Active == 8 })
	close(stop)
	wait()
	if n := failed.Load(); n != 0 {
		t.Errorf("%d segments failed", n)
	}
}

// A stream that kills every worker it meets costs its neighbors one attempt in
// all, and itself its segments.
func TestPoisonHarmsOnlyItself(t *testing.T) {
	t.Parallel()
	p, c := farm(t)
	stop := make(chan struct{})
	failed, wait := streams(t, p, 7, stop, nil)
	until(t, "seven segments in work", func() bool { return c.Status().Active == 7 })
	for k := range 3 {
		job := segment("poison", k)
		job.Input = []byte("poison")
		_, err := p.Transcode(t.Context(), job)
		if fault.CodeOf(err) != fault.SegmentRefused || errors.Is(err, fault.WorkerCrashed) != (k == 0) {
			t.Errorf("poison %d: %v", k, err)
		}
	}
	until(t, "whole again", func() bool { return c.Status().Active == 7 })
	close(stop)
	wait()
	if n := failed.Load(); n != 0 || c.Status().Restarts != 1 {
		t.Errorf("%d segments of others failed, %d restarts", n, c.Status().Restarts)
	}
}
