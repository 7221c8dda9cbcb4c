package pool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// A device that is three times as fast gets three times as many sessions.
func TestFasterDevicesGetMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		// One session is a ratio of 0.03 on one and 0.01 on the other.
		for name, ratio := range map[string]float64{"slow": 0.03, "fast": 0.01} {
			sim(t, p, &coretest.SimDevice{Name: name, Cost: ratio / 6_912_000}, func(o *device.Resources) { o.Cost = 0 })
		}
		for n := 1; n <= 40; n++ {
			together(t, p, n, 0)
			together(t, p, n, 1)
		}
		if at := where(p); at["fast"] < 26 || at["fast"] > 34 {
			t.Errorf("sessions at %v", at)
		}
	})
}

// A session whose source is hard to decode counts for what it costs, not for the
// pixels that it asks for.
func TestSessionsCountForWhatTheyCost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		for _, name := range []string{"0", "1"} {
			f := &coretest.Fake{Name: name}
			f.On = func(ctx context.Context, _ int, job *core.TranscodeJob) error {
				took := 100 * time.Millisecond
				if strings.HasPrefix(string(job.Session), "hard") {
					took = 300 * time.Millisecond
				}
				<-time.After(took)
				return nil
			}
			if _, err := p.Attach(f, device.Resources{}); err != nil {
				t.Fatal(err)
			}
		}
		// The hard ones all happen to sit on one device.
		for i := range 4 {
			for _, kind := range []string{"hard", "easy"} {
				if err := p.Admit(request(fmt.Sprint(kind, i), 1)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for k := range 10 {
			for i := range 4 {
				for _, kind := range []string{"hard", "easy"} {
					if _, err := p.Transcode(t.Context(), job(fmt.Sprint(kind, i), k, 1)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for i := range 6 {
			if err := p.Admit(request(fmt.Sprint("new", i), 1)); err != nil {
				t.Fatal(err)
			}
		}
		if at := where(p); at["1"] < 4+5 {
			t.Errorf("sessions at %v, although the first device has the hard ones", at)
		}
	})
}
