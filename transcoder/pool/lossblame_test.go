package pool_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// When this node's own network fails, all transcoders are lost at once: no stream is
// to blame, however often it is tried.
func TestAnOutageConvictsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		var rigs []*coretest.SimDevice
		var places []device.Attachment
		for i := range 12 {
			d := &coretest.SimDevice{Name: fmt.Sprint("rig", i), Cost: 1e-7}
			rigs, places = append(rigs, d), append(places, sim(t, p, d, remote(10)))
		}
		const streams = 24
		for outage := range 3 {
			for n := range 12 { // good ones in between
				together(t, p, streams, 100*outage+n)
			}
			var wg sync.WaitGroup
			for s := range streams {
				wg.Go(func() {
					for n := range 2 {
						_ = bounded(t, p, fmt.Sprint(s), 100*outage+50+n)
					}
				})
			}
			synctest.Wait()
			for _, d := range rigs {
				d.Lose(lost)
			}
			<-time.After(100 * time.Millisecond)
			for _, a := range places {
				a.Detach()
			}
			wg.Wait()
			for i, d := range rigs {
				d.Recover()
				places[i] = sim(t, p, d, remote(10))
			}
			<-time.After(5 * time.Second)
		}
		for s := range streams {
			if err := bounded(t, p, fmt.Sprint(s), 1000); err != nil {
				t.Errorf("stream %d: %v", s, err)
			}
		}
	})
}

// Two streams that end transcoders at the same time excuse each other once only.
func TestPoisonedStreamsDoNotExcuseEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		for i := range 40 {
			rig(t, p, fmt.Sprint("rig", i), lost.Code, always)
		}
		refused := 0
		for n := range 4 {
			var wg sync.WaitGroup
			var mu sync.Mutex
			for s := range 2 {
				wg.Go(func() {
					if err := bounded(t, p, fmt.Sprint("poison", s), n); errors.Is(err, fault.SegmentRefused) {
						mu.Lock()
						defer mu.Unlock()
						refused++
					}
				})
			}
			wg.Wait()
			<-time.After(2 * time.Second)
		}
		if refused < 2 {
			t.Errorf("refused %d times", refused)
		}
	})
}
