package pool_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// sloth attaches a transcoder on another machine on which some sessions take forever;
// it ends with what is given, or as its context does.
func sloth(t *testing.T, p *pool.Pool, name string, heavy core.SessionID, end error) *coretest.Fake {
	t.Helper()
	f := &coretest.Fake{Name: name, Latency: 100 * time.Millisecond}
	f.On = func(ctx context.Context, n int, job *core.TranscodeJob) error {
		if heavy != "" && job.Session != heavy {
			return nil
		}
		err := hang(ctx, n, job)
		if end != nil {
			return end
		}
		return err
	}
	if _, err := p.Attach(f, device.Resources{Remote: true, Sessions: 20}); err != nil {
		t.Fatal(err)
	}
	return f
}

// A stream that takes too long everywhere costs no device its place, and is refused
// after a few segments, each of which two devices were tried for.
func TestAHeavyStreamHarmsOnlyItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		var rigs []*coretest.Fake
		for i := range 5 {
			rigs = append(rigs, sloth(t, p, fmt.Sprint("rig", i), "heavy", nil))
		}
		for n := range 6 {
			start, want := time.Now(), fault.RemoteWorkerTimeout
			if n >= 3 {
				want = fault.TranscoderBehind // another orchestrator may have faster ones
			}
			if err := bounded(t, p, "heavy", n); !errors.Is(err, want) {
				t.Errorf("segment %d: %v", n, err)
			}
			if n < 3 && time.Since(start) != 8*time.Second {
				t.Errorf("segment %d was given up after %v", n, time.Since(start))
			}
			if p.Ready() != 5 {
				t.Fatalf("%d are ready after segment %d", p.Ready(), n)
			}
		}
		jobs := 0
		for _, r := range rigs {
			jobs += r.Jobs()
		}
		if jobs != 6 {
			t.Errorf("%d attempts", jobs)
		}
		if err := bounded(t, p, "other", 0); err != nil {
			t.Error(err)
		}
	})
}

// Good segments make up for those that took too long.
func TestAStreamThatIsSeldomHeavyIsPardoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		for i := range 3 {
			d := &coretest.Fake{Name: fmt.Sprint("rig", i), On: func(ctx context.Context, n int, job *core.TranscodeJob) error {
				if job.Number%12 == 0 {
					return hang(ctx, n, job)
				}
				return nil
			}}
			if _, err := p.Attach(d, device.Resources{Remote: true, Sessions: 20}); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 100 {
			if err := bounded(t, p, "s", n); (err != nil) != (n%12 == 0) || errors.Is(err, fault.SegmentRefused) {
				t.Fatalf("segment %d: %v", n, err)
			}
		}
	})
}

// A rig that is silent while another one does the segment is put into quarantine.
func TestASilentRigIsFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		silent := sloth(t, p, "silent", "", nil)
		for s := 0; silent.Jobs() < 3 && s < 100; s++ {
			if s == 1 {
				rig(t, p, "good", "", never)
			}
			if err := bounded(t, p, fmt.Sprint("s", s), 0); s > 0 && err != nil {
				t.Error(err)
			}
			p.EndSession(core.SessionID(fmt.Sprint("s", s)))
		}
		if u := p.Devices()[0]; u.State != device.Quarantined || u.Code != fault.RemoteWorkerTimeout {
			t.Errorf("shown as %+v", u)
		}
	})
}

// What a transcoder on another machine does not manage has that name to the end,
// whoever gives up first: gateways do not pay for it.
func TestTheEndOfARemoteAttempt(t *testing.T) {
	t.Parallel()
	code := func(c fault.Code) error { return fault.New(c, "transcode", "") }
	for name, test := range map[string]struct {
		end    error
		rigs   int
		within time.Duration // of the deadline
		leaves time.Duration // of the gateway
		want   fault.Code
	}{
		"one, it says nothing":  {rigs: 1, within: 8 * time.Second, want: fault.RemoteWorkerTimeout},
		"two, they say nothing": {rigs: 2, within: 8 * time.Second, want: fault.RemoteWorkerTimeout},
		"it is dropped": {end: code(fault.RemoteWorkerTimeout), rigs: 1,
			within: 7900 * time.Millisecond, want: fault.RemoteWorkerTimeout},
		"it was lost": {end: code(fault.RemoteWorkerLost), rigs: 1, within: 8 * time.Second,
			want: fault.RemoteWorkerLost},
		"its GPU was lost": {end: code(fault.UnrecoverableState), rigs: 1, within: 8 * time.Second,
			want: fault.UnrecoverableState},
		"it says so itself": {end: code(fault.TranscodeTimeout), rigs: 1, within: 8 * time.Second,
			want: fault.RemoteWorkerTimeout},
		"its caller came late":     {rigs: 1, within: 5 * time.Second, want: fault.RemoteWorkerTimeout},
		"its caller came too late": {rigs: 1, within: time.Second, want: fault.DeadlineExceeded},
		"the gateway counts a little faster": {rigs: 1, within: 8 * time.Second, leaves: 7900 * time.Millisecond,
			want: fault.RemoteWorkerTimeout},
		"the same, and the second is in work": {rigs: 2, within: 8 * time.Second, leaves: 7 * time.Second,
			want: fault.RemoteWorkerTimeout},
		"the gateway has had enough": {rigs: 1, within: 8 * time.Second, leaves: 3 * time.Second,
			want: fault.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(nil, pool.Options{MaxSessions: 100})
				defer p.Close()
				for i := range test.rigs {
					sloth(t, p, fmt.Sprint("rig", i), "", test.end)
				}
				ctx, cancel := context.WithTimeout(t.Context(), test.within)
				defer cancel()
				var wg sync.WaitGroup
				defer wg.Wait()
				if test.leaves > 0 {
					wg.Go(func() {
						<-time.After(test.leaves)
						cancel()
					})
				}
				if _, err := p.Transcode(ctx, job("s", 0, 1)); fault.CodeOf(err) != test.want {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
