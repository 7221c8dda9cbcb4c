package pool_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// twoSeconds is a device whose media play for two seconds, whatever was announced.
type twoSeconds struct{ twoAtOnce }

func (d twoSeconds) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	res, err := d.Fake.Transcode(ctx, job)
	if err == nil {
		res.SourceDuration = 2 * time.Second
	}
	return res, err
}

// push has sessions that were there first send segment after segment, each as soon as the
// one before is done, until ctx ends.
func push(ctx context.Context, wg *sync.WaitGroup, p *pool.Pool, sessions int, job func(s, n int) *core.TranscodeJob) {
	for s := range sessions {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, _ = p.Transcode(ctx, job(s, n))
			}
		})
	}
}

// live sends segments of two seconds at their pace and returns how many were not done.
func live(t *testing.T, p *pool.Pool, segments int) (lost int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for n := range segments {
		wg.Go(func() {
			<-time.After(time.Duration(n) * 2 * time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
			defer cancel()
			if _, err := p.Transcode(ctx, segment("live", n)); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if lost++; lost == 1 {
					t.Logf("segment %d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	return lost
}

// Sessions that were there first and send far faster than their media play take no live
// stream's time, whatever they say of the length.
func TestSessionsFasterThanTheyPlayGiveWay(t *testing.T) {
	t.Parallel()
	for _, announced := range []time.Duration{2 * time.Second, 10 * time.Millisecond} {
		t.Run(announced.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &coretest.Fake{Name: "0", Latency: 300 * time.Millisecond}
				p := pool.New([]transcoder.Engine{twoSeconds{twoAtOnce{f}}}, pool.Options{MaxSessions: 100})
				defer p.Close()
				ctx, cancel := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				push(ctx, &wg, p, 5, func(s, n int) *core.TranscodeJob {
					job := segment(fmt.Sprint("old", s), n)
					job.Duration = announced
					return job
				})
				<-time.After(10 * time.Second)
				if lost := live(t, p, 60); lost > 0 {
					t.Errorf("the live stream lost %d of 60 segments", lost)
				}
				cancel()
				wg.Wait()
				if done := f.Jobs(); done < 700 {
					t.Errorf("%d segments were done in two minutes: the device stood still", done)
				}
			})
		})
	}
}

// Long segments that wait for one another delay no short one: they may not take every place.
func TestLongSegmentsThatWaitRefuseNoShortOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &coretest.Fake{Name: "0", On: func(ctx context.Context, _ int, job *core.TranscodeJob) error {
			select {
			case <-time.After(job.Duration / 4):
			case <-ctx.Done():
			}
			return ctx.Err()
		}}
		p := pool.New([]transcoder.Engine{twoAtOnce{f}}, pool.Options{MaxSessions: 100})
		defer p.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		push(ctx, &wg, p, 3, func(s, n int) *core.TranscodeJob {
			job := segment(fmt.Sprint("long", s), n)
			job.Duration = time.Minute
			return job
		})
		for s := range 2 {
			wg.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					_, _ = p.Transcode(ctx, segment(fmt.Sprint("short", s), n))
					<-time.After(2 * time.Second)
				}
			})
		}
		<-time.After(2 * time.Minute)
		if lost := live(t, p, 60); lost > 0 {
			t.Errorf("the live stream lost %d of 60 segments", lost)
		}
		cancel()
		wg.Wait()
	})
}
