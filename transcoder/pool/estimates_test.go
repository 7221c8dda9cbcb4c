package pool_test

import (
	"context"
	"errors"
	"fmt"
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

// tiny is a stream's segment of which next to nothing is made.
func tiny(session string, n int) *core.TranscodeJob {
	job := segment(session, n)
	job.Profiles = []core.Profile{{Name: "a", Width: 16, Height: 16, FPS: core.Framerate{Num: 1, Den: 1}}}
	return job
}

// A stream with a tiny rendition costs next to nothing, and most of what it takes is for its
// source. It makes the streams of others look no more expensive than they are: they are admitted
// as if it was not there.
func TestATinyStreamLeavesTheDeviceToOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		takes time.Duration
		// pause is the time between two of its segments, playing how long each plays.
		pause, playing time.Duration
		cost           float64
	}{
		"a usual source":                  {40 * time.Millisecond, 2 * time.Second, 2 * time.Second, 0},
		"very short segments":             {20 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 0},
		"a source that is hard to decode": {800 * time.Millisecond, 2 * time.Second, 2 * time.Second, 0.1 / 8.6e6},
		"hard to decode, very short segments": {
			60 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 0.1 / 8.6e6,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &coretest.Fake{Name: "0", On: func(_ context.Context, _ int, job *core.TranscodeJob) error {
					if job.Session == "tiny" {
						<-time.After(c.takes)
					} else {
						<-time.After(200 * time.Millisecond)
					}
					return nil
				}}
				p := pool.New(nil, pool.Options{Untried: 1})
				defer p.Close()
				if _, err := p.Attach(twoAtOnce{f}, device.Resources{Cost: c.cost}); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				wg.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						job := tiny("tiny", n)
						job.Duration = c.playing
						wg.Go(func() { _, _ = p.Transcode(ctx, job) })
						<-time.After(c.pause)
					}
				})
				<-time.After(20 * time.Second)
				if n, lost := join(t, p, 6); n < 5 || lost > 0 {
					t.Errorf("%d of 6 streams admitted, %d segments lost", n, lost)
				}
				cancel()
				wg.Wait()
			})
		})
	}
}

// join lets streams join one after another, and counts those that are admitted and their lost
// segments.
func join(t *testing.T, p *pool.Pool, streams int) (admitted, lost int32) {
	var in, out atomic.Int32
	var wg sync.WaitGroup
	for s := range streams {
		id := fmt.Sprint("usual ", s)
		err := error(fault.New(fault.OrchestratorCapped, "look at the usage", ""))
		if u := p.Usage(); !u.Full() {
			err = p.Admit(core.SessionRequest{ID: core.SessionID(id), Profiles: segment("", 0).Profiles})
		}
		if err == nil {
			in.Add(1)
			for n := range 20 {
				wg.Go(func() {
					<-time.After(time.Duration(n) * 2 * time.Second)
					ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
					defer cancel()
					if _, err := p.Transcode(ctx, segment(id, n)); err != nil {
						out.Add(1)
					}
				})
			}
		} else {
			t.Log(err)
		}
		<-time.After(5 * time.Second)
	}
	wg.Wait()
	return in.Load(), out.Load()
}

// A session that never shows what it costs, as its segments fail or are too short to be measured,
// holds the others up for seconds and no longer.
func TestASessionThatShowsNothingHoldsNoOtherOut(t *testing.T) {
	t.Parallel()
	for name, cost := range map[string]float64{"tested": 0.1 / 8.6e6, "untested": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &coretest.Fake{Name: "0", Latency: 50 * time.Millisecond}
				p := pool.New(nil, pool.Options{Untried: 1})
				defer p.Close()
				if _, err := p.Attach(twoAtOnce{f}, device.Resources{Cost: cost}); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				wg.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						job := segment("bad", n)
						job.Input = []byte(coretest.FakeBad)
						_, _ = p.Transcode(ctx, job)
						<-time.After(5 * time.Second)
					}
				})
				<-time.After(20 * time.Second)
				if n, lost := join(t, p, 4); n < 4 || lost > 0 {
					t.Errorf("%d of 4 streams admitted, %d segments lost", n, lost)
				}
				cancel()
				wg.Wait()
			})
		})
	}
}

// What a session asks for and never uses, as its segments fail, is not kept for it: neither
// encoders and memory nor load, whether it asks at its beginning or later.
func TestWhatIsNeverUsedIsNotKept(t *testing.T) {
	t.Parallel()
	huge := core.Profile{Name: "a", Width: 1 << 30, Height: 1 << 30, FPS: core.Framerate{Num: 1 << 31}}
	many := make([]core.Profile, 64)
	for i := range many {
		many[i] = core.Profile{Name: fmt.Sprint(i), Width: 640, Height: 360}
	}
	for name, c := range map[string]struct {
		sessions int
		first    int
		profiles []core.Profile
	}{
		"encoders at its beginning": {10, 0, many[:8]},
		"encoders later":            {10, 1, many},
		"load at its beginning":     {0, 0, []core.Profile{huge}},
		"load later":                {0, 1, []core.Profile{huge, huge, huge}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &coretest.Fake{Name: "0", Latency: 100 * time.Millisecond}
				offer := device.Resources{EncoderSessions: 8, Memory: 8 << 30, SessionMemory: 1 << 29,
					RenditionMemory: 1 << 28, Cost: 0.1 / 8.6e6}
				p := pool.New(nil, pool.Options{MaxSessions: c.sessions, Untried: 1})
				defer p.Close()
				if _, err := p.Attach(twoAtOnce{f}, offer); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				wg.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						job := segment("greedy", n)
						if n >= c.first {
							job.Profiles, job.Input, job.Duration = c.profiles, []byte(coretest.FakeBad), 0
						}
						_, _ = p.Transcode(ctx, job)
						<-time.After(8 * time.Second)
					}
				})
				<-time.After(30 * time.Second)
				if n, lost := join(t, p, 3); n < 3 || lost > 0 {
					t.Errorf("%d of 3 streams admitted, %d segments lost", n, lost)
				}
				cancel()
				wg.Wait()
			})
		})
	}
}

// Sessions that send little at the same instant, and one of them, whose segments were slow once,
// too late for its time, do not keep others off a device that has nothing to do: what one segment
// was refused for says nothing of its device.
func TestABurstDoesNotKeepOthersOut(t *testing.T) {
	t.Parallel()
	for name, announced := range map[string]time.Duration{"usual": 2 * time.Second, "short": 200 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { burst(t, announced) })
		})
	}
}

func burst(t *testing.T, announced time.Duration) {
	f := &coretest.Fake{Name: "0", On: func(_ context.Context, _ int, job *core.TranscodeJob) error {
		switch {
		case job.Session == "late" && job.Number == 0:
			<-time.After(6900 * time.Millisecond)
		case strings.HasPrefix(string(job.Session), "usual"):
			<-time.After(200 * time.Millisecond)
		default:
			<-time.After(100 * time.Millisecond)
		}
		return nil
	}}
	p := pool.New([]transcoder.Engine{twoAtOnce{f}}, pool.Options{Untried: 8})
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var refused atomic.Int32
	send := func(id string, n int) {
		job := segment(id, n)
		if id == "late" && n > 0 {
			job.Duration = announced
		}
		if _, err := p.Transcode(ctx, job); errors.Is(err, fault.TranscoderBehind) {
			refused.Add(1)
		}
	}
	for s := range 4 {
		send(fmt.Sprint("burst ", s), 0)
	}
	send("late", 0)
	wg.Go(func() {
		for n := 1; ctx.Err() == nil; n++ {
			for s := range 4 {
				wg.Go(func() { send(fmt.Sprint("burst ", s), n) })
			}
			<-time.After(10 * time.Millisecond)
			wg.Go(func() { send("late", n) })
			<-time.After(4 * time.Second)
		}
	})
	<-time.After(time.Minute)
	before := refused.Load()
	if n, lost := join(t, p, 4); n < 4 || lost > 0 {
		t.Errorf("%d of 4 streams admitted, %d segments lost", n, lost)
	}
	if refused.Load() == before {
		t.Error("nothing was refused: the test shows nothing")
	}
	cancel()
	wg.Wait()
}
