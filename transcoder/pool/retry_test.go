package pool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// process is a fake with a process that can be replaced and doubled.
type process struct {
	*coretest.Fake
	lonely   *coretest.Fake // what Alone gives, nil for a good one
	replaced atomic.Int32
	alone    atomic.Int32
}

func (p *process) Replace(fault.Code) { p.replaced.Add(1) }

func (p *process) Alone(context.Context) (transcoder.Engine, error) {
	p.alone.Add(1)
	if p.lonely != nil {
		return &coretest.Fake{On: p.lonely.On, Latency: p.lonely.Latency}, nil
	}
	return &coretest.Fake{}, nil
}

// failing fails its first n jobs with a code.
func failing(n int, code fault.Code) func(context.Context, int, *core.TranscodeJob) error {
	return func(_ context.Context, k int, _ *core.TranscodeJob) error {
		if k <= n {
			return fault.New(code, "transcode", "as asked")
		}
		return nil
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fails int // how many jobs each device fails
		code  fault.Code
		want  fault.Code // "" for success
		jobs  int        // attempts on both devices
		alone int
	}{
		"engine failure goes elsewhere": {fails: 1, code: fault.TranscoderFailed, want: fault.TranscoderFailed, jobs: 2},
		"bad media is looked at twice":  {fails: 9, code: fault.InvalidData, want: fault.InvalidData, jobs: 2},
		"a lost worker's segment":       {fails: 1, code: fault.WorkerReplaced, want: fault.WorkerReplaced, jobs: 2},
		"a crash leads to a cell":       {fails: 9, code: fault.WorkerCrashed, jobs: 1, alone: 1},
		"so does a silent worker":       {fails: 9, code: fault.WorkerUnresponsive, jobs: 1, alone: 1},
		"and one that eats":             {fails: 9, code: fault.WorkerOutOfMemory, jobs: 1, alone: 1},
		"exactly one retry":             {fails: 9, code: fault.TranscoderStopped, want: fault.TranscoderStopped, jobs: 2},
		"a canceled job stays so":       {fails: 9, code: fault.Canceled, want: fault.Canceled, jobs: 1},
		"what one device cannot decode": {fails: 1, code: fault.UnsupportedInputCodec, want: fault.UnsupportedInputCodec,
			jobs: 2},
		"an unrecoverable device":        {fails: 1, code: fault.UnrecoverableState, want: fault.UnrecoverableState, jobs: 2},
		"a code nobody knows is retried": {fails: 9, code: "Nobody", want: "Nobody", jobs: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &process{Fake: &coretest.Fake{Name: "0", On: failing(test.fails, test.code)}}
			b := &process{Fake: &coretest.Fake{Name: "1", On: failing(test.fails, test.code)}}
			p := pool.New([]transcoder.Engine{a, b}, pool.Options{MaxSessions: 9})
			defer p.Close()
			res, err := p.Transcode(t.Context(), segment("s", 0))
			if test.want == "" && (err != nil || len(res.Renditions) != 2) || test.want != "" && !errors.Is(err, test.want) {
				t.Errorf("got %v", err)
			}
			if n := a.Jobs() + b.Jobs(); n != test.jobs {
				t.Errorf("%d attempts", n)
			}
			if n := a.alone.Load() + b.alone.Load(); int(n) != test.alone {
				t.Errorf("%d lonely attempts", n)
			}
		})
	}
}

// TestBadSegmentsDoNotFillTheLog: segments that no device can decode are tried on a second one, and cost their gateway
// nothing. Few of them have a line.
func TestBadSegmentsDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const segments, few = 100, 20
		var log bytes.Buffer // one session's segments go one after another
		bad := func(name string) transcoder.Engine {
			return &coretest.Fake{Name: name, On: failing(segments, fault.InvalidData)}
		}
		p := pool.New([]transcoder.Engine{bad("0"), bad("1")}, pool.Options{MaxSessions: 9,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		defer p.Close()
		for n := range segments {
			if _, err := p.Transcode(t.Context(), segment("s", n)); !errors.Is(err, fault.InvalidData) {
				t.Fatal(err)
			}
		}
		if n := strings.Count(log.String(), "trying a segment again"); n == 0 || n > few {
			t.Errorf("%d lines", n)
		}
	})
}

func TestARetryMovesTheSession(t *testing.T) {
	t.Parallel()
	bad := &coretest.Fake{Name: "0", On: failing(99, fault.TranscoderFailed)}
	good := &coretest.Fake{Name: "1"}
	p := pool.New([]transcoder.Engine{bad, good}, pool.Options{MaxSessions: 9})
	defer p.Close()
	for n := range 3 {
		if _, err := p.Transcode(t.Context(), segment("s", n)); err != nil {
			t.Fatal(err)
		}
	}
	if bad.Jobs() != 1 || good.Jobs() != 3 {
		t.Errorf("%d on the bad device, %d on the good", bad.Jobs(), good.Jobs())
	}
	if use := p.Devices(); use[0].Sessions != 0 || use[0].Load != 0 || use[1].Sessions != 1 {
		t.Errorf("booked %+v", use)
	}
}

// hang never ends by itself, as native code that does not look at the context:
// only its caller stops waiting.
func hang(ctx context.Context, _ int, _ *core.TranscodeJob) error {
	<-ctx.Done()
	return fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
}

func TestWatchdog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &process{Fake: &coretest.Fake{On: hang}}
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9})
		defer p.Close()
		start := time.Now()
		if _, err := p.Transcode(t.Context(), segment("s", 0)); err != nil {
			t.Errorf("the second attempt: %v", err)
		}
		if took := time.Since(start); took != 8*time.Second || d.replaced.Load() != 1 || d.alone.Load() != 1 {
			t.Errorf("after %v, %d replaced, %d alone", took, d.replaced.Load(), d.alone.Load())
		}
		long := segment("s2", 0)
		long.Duration = 10 * time.Second
		start = time.Now()
		if _, err := p.Transcode(t.Context(), long); err != nil || time.Since(start) != 40*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// A gateway waits 8 s in all. A session that is known to be quick still gets two
// attempts in that time, and a worker is not killed for the first.
func TestAHangLeavesTimeForASecondAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &process{Fake: &coretest.Fake{Latency: 300 * time.Millisecond}}
		d.On = func(ctx context.Context, n int, job *core.TranscodeJob) error {
			if job.Number == 1 {
				return hang(ctx, n, job)
			}
			return nil
		}
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9})
		defer p.Close()
		for n := range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			if _, err := p.Transcode(ctx, segment("s", n)); err != nil {
				t.Errorf("segment %d: %v", n, err)
			}
			cancel()
		}
		if d.replaced.Load() != 0 || d.alone.Load() != 1 {
			t.Errorf("%d replaced, %d alone", d.replaced.Load(), d.alone.Load())
		}
	})
}

func TestACallerWithLittleTimeDoesNotCostAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &process{Fake: &coretest.Fake{On: hang}}
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9})
		defer p.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := p.Transcode(ctx, segment("s", 0)); !errors.Is(err, fault.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if d.replaced.Load() != 0 {
			t.Error("the worker was replaced")
		}
	})
}

func TestAStreamThatKillsWorkersIsKeptApartAndThenRefused(t *testing.T) {
	t.Parallel()
	crash := func(_ context.Context, _ int, job *core.TranscodeJob) error {
		if job.Manifest == "poison" {
			return fault.New(fault.WorkerCrashed, "transcode", "as asked")
		}
		return nil
	}
	d := &process{Fake: &coretest.Fake{On: crash}, lonely: &coretest.Fake{On: crash}}
	p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 9})
	defer p.Close()
	for n := range 2 {
		if _, err := p.Transcode(t.Context(), segment("poison", n)); !errors.Is(err, fault.WorkerCrashed) {
			t.Errorf("segment %d: %v", n, err)
		}
	}
	if d.Jobs() != 1 || d.alone.Load() != 2 {
		t.Errorf("the shared worker saw it %d times, cells %d times", d.Jobs(), d.alone.Load())
	}
	if _, err := p.Transcode(t.Context(), segment("poison", 2)); !errors.Is(err, fault.SegmentRefused) {
		t.Errorf("then: %v", err)
	}
	if _, err := p.Transcode(t.Context(), segment("other", 0)); err != nil {
		t.Error(err)
	}
	p.EndSession("poison")
	again := segment("poison", 0)
	again.Session = "another"
	if _, err := p.Transcode(t.Context(), again); !errors.Is(err, fault.SegmentRefused) || d.alone.Load() != 3 {
		t.Errorf("in another session: %v, cells %d times", err, d.alone.Load())
	}
}

func TestQuarantine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := &coretest.Fake{Name: "0", On: failing(3, fault.UnrecoverableState)}
		good := &coretest.Fake{Name: "1"}
		p := pool.New([]transcoder.Engine{bad, good}, pool.Options{MaxSessions: 99})
		defer p.Close()
		for s := range 20 {
			name := fmt.Sprint(s)
			if _, err := p.Transcode(t.Context(), segment(name, 0)); err != nil {
				t.Fatal(err)
			}
			if bad.Jobs() == 3 {
				break
			}
			<-time.After(time.Second) // failures apart from each other
		}
		use := p.Devices()[0]
		if use.State != device.Quarantined || use.Code != fault.UnrecoverableState {
			t.Fatalf("not in quarantine: %+v", use)
		}
		for s := range 5 {
			if _, err := p.Transcode(t.Context(), segment(fmt.Sprint("new", s), 0)); err != nil {
				t.Fatal(err)
			}
		}
		if bad.Jobs() != 3 {
			t.Errorf("the device got work: %d", bad.Jobs())
		}
		<-time.After(2 * time.Second)
		if _, err := p.Transcode(t.Context(), segment("later", 0)); err != nil || bad.Jobs() != 4 {
			t.Errorf("it does not come back: %v, %d jobs", err, bad.Jobs())
		}
	})
}

func TestCloseFailsWhatRuns(t *testing.T) {
	t.Parallel()
	es, _ := engines(0, "0")
	p := pool.New(es, pool.Options{MaxSessions: 9})
	var wg sync.WaitGroup
	for s := range 4 {
		wg.Go(func() { _, _ = p.Transcode(t.Context(), segment(fmt.Sprint(s), 0)) })
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if _, err := p.Transcode(t.Context(), segment("late", 0)); err == nil {
		t.Error("works after Close")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
