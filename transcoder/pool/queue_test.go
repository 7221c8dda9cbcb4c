package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/coretest"
	"github.com/tuttinode/tutti/core/fault"
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
