package pool_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// sharedCPU is a device whose segments take equal parts of its time, as processes do on a
// CPU, those in workers of their own included.
type sharedCPU struct {
	*tested
	running atomic.Int32
	// takes is the time of a segment on the idle device.
	takes time.Duration
}

func newSharedCPU(takes time.Duration) *sharedCPU {
	d := &sharedCPU{takes: takes, tested: &tested{process: &process{Fake: &coretest.Fake{Name: "0"},
		lonely: &coretest.Fake{}}}}
	d.On, d.lonely.On = d.on, d.on
	return d
}

func (d *sharedCPU) Parallel() int { return 2 }

func (d *sharedCPU) on(ctx context.Context, _ int, job *core.TranscodeJob) error {
	n := d.running.Add(1)
	defer d.running.Add(-1)
	const step = 20 * time.Millisecond
	for had := time.Duration(0); had < d.takes || job.Manifest == "endless"; n = d.running.Load() {
		select {
		case <-ctx.Done():
			return fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
		case <-time.After(step):
			had += step / time.Duration(n)
		}
	}
	return nil
}

// Honest streams that are too much for the machine together are neither bad video nor a
// broken device: the gateway gets an answer with which it tries another orchestrator.
func TestOverloadIsNoInvalidVideo(t *testing.T) {
	t.Parallel()
	for name, party := range map[string]func(int) string{
		"of one gateway":      func(int) string { return "gateway" },
		"of several":          func(s int) string { return fmt.Sprint("gateway", s) },
		"of unknown gateways": func(int) string { return "" },
	} {
		for _, wait := range []time.Duration{8 * time.Second, 7900 * time.Millisecond, time.Minute} {
			t.Run(fmt.Sprint(name, " which wait ", wait), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { overload(t, wait, party) })
			})
		}
	}
}

func overload(t *testing.T, wait time.Duration, party func(int) string) {
	// Alone a segment of 2 s takes 5 s of the 8 s that it may take.
	d := newSharedCPU(5 * time.Second)
	p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 99})
	defer p.Close()
	var wg sync.WaitGroup
	for s := range 4 {
		wg.Go(func() {
			for n := range 8 {
				ctx, cancel := context.WithTimeout(t.Context(), wait)
				_, err := p.Transcode(ctx, from(party(s), fmt.Sprint("s", s), n))
				cancel()
				if c := fault.ClassOf(err); err != nil && (c == fault.BadRequest || c == fault.Internal) {
					t.Errorf("segment %d of stream %d: %v", n, s, err)
				}
				<-time.After(time.Second)
			}
		})
	}
	wg.Wait()
	if p.Ready() != 1 {
		t.Error("the device is blamed")
	}
	<-time.After(time.Minute)
	for s := range 4 {
		if _, err := p.Transcode(t.Context(), from(party(s), fmt.Sprint("s", s), 9)); err != nil {
			t.Errorf("stream %d alone: %v", s, err)
		}
	}
}

// A segment that waits for senior streams until its gateway leaves has done no harm.
func TestWaitingBehindOthersIsNoHarm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newSharedCPU(450 * time.Millisecond)
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 99})
		defer p.Close()
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for s := range 4 {
			wg.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					_, _ = p.Transcode(ctx, from("senior", fmt.Sprint("old", s), n))
				}
			})
		}
		synctest.Wait()
		leaving, leave := context.WithCancel(t.Context())
		defer time.AfterFunc(4500*time.Millisecond, leave).Stop()
		if _, err := p.Transcode(leaving, from("junior", "new", 0)); !errors.Is(err, fault.Canceled) {
			t.Errorf("the one that waits: %v", err)
		}
		stop()
		wg.Wait()
		if _, err := p.Transcode(t.Context(), from("junior", "new", 1)); err != nil || d.alone.Load() != 0 {
			t.Errorf("its next one: %v, %d workers of its own", err, d.alone.Load())
		}
	})
}

// Streams that block the device together, on purpose, do not do so for long: they get one
// worker at a time, and are refused once they blocked an idle device or one that did others'
// segments in real time.
func TestStreamsThatBlockTogetherAreFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newSharedCPU(100 * time.Millisecond)
		p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 99})
		defer p.Close()
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		var refused atomic.Int32
		for s := range 4 {
			wg.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					j := from(fmt.Sprint("bad", s), "endless", n)
					if _, err := p.Transcode(ctx, j); errors.Is(err, fault.SegmentRefused) {
						refused.Add(1)
					}
					<-time.After(100 * time.Millisecond)
				}
			})
		}
		<-time.After(time.Minute)
		for n := range 60 {
			soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			if _, err := p.Transcode(soon, from("good", "s", n)); err != nil {
				t.Errorf("an honest segment: %v", err)
			}
			cancel()
			<-time.After(time.Second)
		}
		if p.Ready() != 1 || refused.Load() == 0 {
			t.Errorf("%d ready, %d refused", p.Ready(), refused.Load())
		}
		stop()
		wg.Wait()
	})
}

// A segment that runs late alone is to blame, unless other programs took the machine's CPU cores.
func TestOtherProgramsAreNoInvalidVideo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cores float64 // that other programs take of each one
		class fault.Class
	}{"idle": {0.2, fault.BadRequest}, "loaded": {0.8, fault.Busy}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, start := newSharedCPU(time.Minute), time.Now()
				p := pool.New([]transcoder.Engine{d}, pool.Options{MaxSessions: 99, OtherLoad: func() time.Duration {
					return time.Duration(c.cores * float64(runtime.NumCPU()) * float64(time.Since(start)))
				}})
				defer p.Close()
				var err error
				for n := range 3 {
					_, err = p.Transcode(t.Context(), from("gateway", "s", n))
				}
				if fault.ClassOf(err) != c.class || p.Ready() != 1 {
					t.Errorf("%v, %d ready", err, p.Ready())
				}
			})
		})
	}
}
