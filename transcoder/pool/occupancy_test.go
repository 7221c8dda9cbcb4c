package pool_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// Segments of the same kind take longer and shorter. A device that is full stays so: streams that are refused and
// ask again every two seconds are not admitted by a moment in which the others took little.
func TestAFullDeviceAdmitsNoMoreInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(1, 2))
		f := &coretest.Fake{Name: "0", On: func(context.Context, int, *core.TranscodeJob) error {
			mu.Lock()
			// A segment of two seconds takes 200 ms on average: seven streams have 70 % of one slot.
			takes := time.Duration(20+random.IntN(360)) * time.Millisecond
			mu.Unlock()
			<-time.After(takes)
			return nil
		}}
		p := pool.New(nil, pool.Options{Untried: 1})
		defer p.Close()
		if _, err := p.Attach(twoAtOnce{f}, device.Resources{Cost: 0.1 / 8.6e6}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		admitted := 0
		for ask := range 300 {
			id := core.SessionID(fmt.Sprint("stream ", ask))
			u := p.Usage()
			if !u.Full() && p.Admit(core.SessionRequest{ID: id, Profiles: segment("", 0).Profiles}) == nil {
				admitted++
				wg.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						wg.Go(func() { _, _ = p.Transcode(ctx, segment(string(id), n)) })
						<-time.After(2 * time.Second)
					}
				})
			}
			<-time.After(2*time.Second + 137*time.Millisecond)
		}
		if admitted < 11 || admitted > 15 {
			t.Errorf("%d streams admitted in ten minutes, 14 fill 70 %% of two slots", admitted)
		}
		cancel()
		wg.Wait()
	})
}
