package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const (
	// batch is how many workers are started at once, step how many sessions.
	batch = 25
	step  = 10
	// spare is the memory that is left to others, in megabytes.
	spare = 3000
	// realTime is how long a segment of a second may take.
	realTime = time.Second
)

// tiny is the segment of -largest.
var tiny = clip.Options{Width: 256, Height: 144, FPSNum: 10, FPSDen: 1, Segment: time.Second, Bitrate: 100_000,
	Silent: true}

// ramp starts workers until the memory or -workers says no, then sessions until
// segments take as long as they play.
func (s settings) ramp(ctx context.Context, b *testbed) error {
	lab := netlab.New(b)
	u := s.setup(b, lab, "orch")
	u.remotely("-maxSessions", "100000", "-adminProfiling")
	segs, err := generate(ctx, tiny, 2)
	if err != nil {
		return err
	}
	if err := s.workersOf(ctx, u); err != nil {
		return err
	}
	return s.sessionsOf(ctx, u, segs)
}

// workersOf starts real worker processes on one host, and prints what each costs.
func (s settings) workersOf(ctx context.Context, u *setup) error {
	first, err := u.holds()
	if err != nil {
		return err
	}
	free := available()
	fmt.Fprintf(s.out, "worker processes, CPU; what the orchestrator holds: resident, and of that heap after a "+
		"collection and stacks, per worker\n  %7s %9s | %15s %12s %8s %10s | %13s\n", "workers", "came in",
		"orchestrator MB", "resident KB", "heap KB", "stacks KB", "their MB/each")
	for n := 0; n < s.workers && available() > spare; {
		begin := time.Now()
		count := min(batch, s.workers-n)
		for i := range count {
			u.another(n + i)
		}
		n += count
		if err := u.reaches(ctx, n); err != nil {
			return err
		}
		took := time.Since(begin)
		now, err := u.holds()
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "  %7d %8.1fs | %15.1f %12.0f %8.1f %10.1f | %13.1f\n", n, took.Seconds(), now.resident,
			(now.resident-first.resident)*1000/float64(n), (now.heap-first.heap)*1000/float64(n),
			(now.stacks-first.stacks)*1000/float64(n), (free-available())/float64(n))
		s.sheet.Less(fmt.Sprintf("%d workers, resident memory of each", n), "KB",
			(now.resident-first.resident)*1000/float64(n), 64)
	}
	fmt.Fprintf(s.out, "  %.0f MB of memory are left\n\n", available())
	return nil
}

// another starts one more worker.
func (u *setup) another(n int) *harness.Process {
	return u.node(u.rig, "-transcoder", "-orchAddr", u.service(), "-orchSecret", secret, "-workerName",
		fmt.Sprintf("rig%d", n),
		"-encoderPreset", u.s.preset, "-testTranscoder=false", "-maxSessions", "8", "-cliAddr",
		fmt.Sprintf("127.0.0.1:%d", 10_000+n))
}

// reaches waits until so many workers are ready.
func (u *setup) reaches(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for u.ready() < n {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d workers came", u.ready(), n)
		}
	}
	return nil
}

// sessionsOf opens sessions, and asks after each step how long a segment of some takes
// that are played at the same time.
func (s settings) sessionsOf(ctx context.Context, u *setup, segs []clip.Segment) error {
	first, err := u.holds()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "sessions of 144p10, one segment each, then idle; two renditions; their bytes are kept for "+
		"download a while\n  %8s | %15s %19s %16s %16s | %6s %14s\n", "sessions", "orchestrator MB", "resident KB/session",
		"live KB/session", "less renditions", "failed", "p95 of a step")
	bytes := 0.0
	for n := 0; n < s.sessions && available() > spare; {
		took, back, failed := u.open(ctx, n, step, segs[0])
		bytes += float64(back)
		n += step
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if n%(10*step) != 0 && failed == 0 {
			continue
		}
		now, err := u.holds()
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "  %8d | %15.1f %19.0f %16.1f %16.1f | %6d %11.0f ms\n", n, now.resident,
			(now.resident-first.resident)*1000/float64(n), (now.live()-first.live())*1000/float64(n),
			(now.live()-first.live()-bytes/1e6)*1000/float64(n), failed, figures.Quantile(took, 0.95))
		s.sheet.Less(fmt.Sprintf("%d sessions, resident memory of each", n), "KB",
			(now.resident-first.resident)*1000/float64(n), 0)
		if failed > 0 {
			break
		}
	}
	return s.atOnce(ctx, u, segs)
}

// open pushes a first segment of so many new streams at once.
func (u *setup) open(ctx context.Context, from, count int, seg clip.Segment) (took []float64, bytes, failed int) {
	var (
		mu sync.Mutex
		wg sync.WaitGroup
	)
	for i := range count {
		wg.Go(func() {
			begin := time.Now()
			_, back, err := u.push(ctx, fmt.Sprintf("s%d", from+i), 0, seg)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			bytes += back
			took = append(took, figures.Millis(time.Since(begin)))
		})
	}
	wg.Wait()
	return took, bytes, failed
}

// atOnce plays more and more streams in real time until a segment takes longer than
// it plays.
func (s settings) atOnce(ctx context.Context, u *setup, segs []clip.Segment) error {
	fmt.Fprintf(s.out, "\nstreams of 144p10 in real time, 5 segments of 1 s each, spread over a second\n  %8s %10s "+
		"%10s %8s\n", "streams", "p50 ms", "p95 ms", "failed")
	for n := 10; n <= 160; n *= 2 {
		took, failed := u.play(ctx, fmt.Sprintf("r%d", n), n, 5, segs)
		fmt.Fprintf(s.out, "  %8d %10.0f %10.0f %8d\n", n, figures.Median(took), figures.Quantile(took, 0.95), failed)
		s.sheet.Less(fmt.Sprintf("%d streams in real time, p95", n), "ms", figures.Quantile(took, 0.95), 0)
		if figures.Quantile(took, 0.95) > figures.Millis(realTime) || failed > 0 || ctx.Err() != nil {
			break
		}
	}
	fmt.Fprintln(s.out)
	return ctx.Err()
}

// play pushes streams in real time.
func (u *setup) play(ctx context.Context, name string, streams, count int, segs []clip.Segment) (took []float64,
	failed int) {
	var (
		mu sync.Mutex
		wg sync.WaitGroup
	)
	for i := range streams {
		wg.Go(func() {
			wait := time.NewTimer(time.Duration(i) * realTime / time.Duration(streams))
			defer wait.Stop()
			for n := range count {
				select {
				case <-wait.C:
				case <-ctx.Done():
					return
				}
				wait.Reset(realTime)
				begin := time.Now()
				_, _, err := u.push(ctx, fmt.Sprintf("%s-%d", name, i), n, segs[n%len(segs)])
				mu.Lock()
				if err != nil {
					failed++
				} else if n > 0 {
					took = append(took, figures.Millis(time.Since(begin)))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took, failed
}
