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
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// twoAtOnce is a device that works on two segments at once.
type twoAtOnce struct{ *coretest.Fake }

func (twoAtOnce) Parallel() int { return 2 }

// At twice what a device can do, the streams that were there first lose nothing, the others
// are refused at once, and no segment is worked on in vain.
func TestTheFirstStreamsGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// A second each, two at once: four streams of two seconds.
		f := &coretest.Fake{Name: "0", Latency: time.Second}
		p := pool.New([]transcoder.Engine{twoAtOnce{f}}, pool.Options{MaxSessions: 100})
		defer p.Close()
		const streams, segments = 8, 60
		var mu sync.Mutex
		lost := make([]int, streams)
		done, slowest := 0, time.Duration(0)
		var wg sync.WaitGroup
		for s := range streams {
			for n := range segments {
				wg.Go(func() {
					<-time.After(time.Duration(n)*2*time.Second + time.Duration(s)*100*time.Millisecond)
					ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
					defer cancel()
					begin := time.Now()
					_, err := p.Transcode(ctx, segment(fmt.Sprint(s), n))
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						done++
						return
					case !errors.Is(err, fault.TranscoderBehind) && !errors.Is(err, fault.TranscoderBusy):
						t.Errorf("stream %d, segment %d: %v", s, n, err)
					}
					lost[s]++
					slowest = max(slowest, time.Since(begin))
				})
			}
		}
		wg.Wait()
		t.Logf("%d done by %d jobs, lost %v, refused after %v at most", done, f.Jobs(), lost, slowest)
		for s := range 3 {
			if lost[s] > 0 {
				t.Errorf("stream %d lost %d segments", s, lost[s])
			}
		}
		if f.Jobs() != done {
			t.Errorf("%d segments were worked on in vain", f.Jobs()-done)
		}
		if done < segments*7/2 {
			t.Errorf("%d segments were done: the device stood still", done)
		}
	})
}

// Streams that join one after another where nothing but the start is known: no more are
// admitted than the device can do, so that none of those admitted loses a segment, and most of
// the device is used. The real-time ratio shows nothing of it before all places are busy.
func TestAutoAdmitsByTheTimeOfThePlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// alone and beside are what a segment takes, with another one in work or not.
		alone, beside time.Duration
		least, most   int
	}{
		"each place is as fast with both busy": {400 * time.Millisecond, 400 * time.Millisecond, 6, 8},
		"two take twice as long as one":        {250 * time.Millisecond, 500 * time.Millisecond, 4, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { admitByPlaces(t, c.alone, c.beside, c.least, c.most) })
		})
	}
}

func admitByPlaces(t *testing.T, alone, otherSegments time.Duration, least, most int) {
	var busy atomic.Int32
	f := &coretest.Fake{Name: "0", On: func(context.Context, int, *core.TranscodeJob) error {
		defer busy.Add(-1)
		if busy.Add(1) > 1 {
			<-time.After(otherSegments)
		} else {
			<-time.After(alone)
		}
		return nil
	}}
	p := pool.New([]transcoder.Engine{twoAtOnce{f}}, pool.Options{Untried: 1})
	defer p.Close()
	var admitted, lost atomic.Int32
	var named atomic.Bool
	var wg sync.WaitGroup
	for s := range 24 {
		wg.Go(func() {
			<-time.After(time.Duration(s) * 1100 * time.Millisecond)
			id := core.SessionID(fmt.Sprint(s))
			if err := p.Admit(core.SessionRequest{ID: id, Profiles: segment("", 0).Profiles}); err != nil {
				if !errors.Is(err, fault.OrchestratorCapped) {
					t.Error(err)
				}
				if strings.Contains(err.Error(), "CPU cores' time, over 70 %") {
					named.Store(true)
				}
				return
			}
			admitted.Add(1)
			for n := range 60 {
				wg.Go(func() {
					<-time.After(time.Duration(n) * 2 * time.Second)
					ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
					defer cancel()
					if _, err := p.Transcode(ctx, segment(fmt.Sprint(s), n)); err != nil {
						lost.Add(1)
					}
				})
			}
		})
	}
	wg.Wait()
	if !named.Load() {
		t.Error("no refusal names the bound")
	}
	if n := int(admitted.Load()); n < least || n > most {
		t.Errorf("%d streams admitted, not %d to %d", n, least, most)
	}
	if n := lost.Load(); n > 0 {
		t.Errorf("%d segments lost", n)
	}
}
