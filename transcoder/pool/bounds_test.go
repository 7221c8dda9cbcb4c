package pool_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// fill admits sessions with so many renditions until one is refused.
func fill(t *testing.T, p *pool.Pool, name string, renditions int) (admitted int, err error) {
	t.Helper()
	for ; admitted < 1000; admitted++ {
		if err := p.Admit(request(fmt.Sprint(name, admitted), renditions)); err != nil {
			return admitted, err
		}
	}
	return admitted, nil
}

func TestEveryBoundHoldsAndIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		offer      device.Resources
		options    pool.Options
		renditions int
		want       int
		words      string
		by         orchestrate.Bound
	}{
		"the node's number": {options: pool.Options{MaxSessions: 4}, renditions: 1, want: 4,
			words: "(-maxSessions: 4 of 4 in use)", by: orchestrate.ByOption},
		"the device's number": {offer: device.Resources{Sessions: 3}, options: pool.Options{MaxSessions: 9},
			renditions: 1, want: 3, words: "gpu 0: 3 of 3 sessions in use", by: orchestrate.BySessions},
		"encoders": {offer: device.Resources{EncoderSessions: 8}, options: pool.Options{MaxSessions: 9},
			renditions: 3, want: 2, words: "gpu 0: 6 of 8 encoder sessions in use, 3 more wanted",
			by: orchestrate.ByEncoders},
		"memory": {offer: device.Resources{Memory: 1000 << 20, SessionMemory: 200 << 20,
			RenditionMemory: 50 << 20}, options: pool.Options{MaxSessions: 9}, renditions: 3, want: 3,
			words: "gpu 0: 900 of 1000 MiB of GPU memory in use, 300 more wanted", by: orchestrate.ByMemory},
		"what was never measured": {options: pool.Options{Untried: 2}, renditions: 1, want: 2,
			words: "gpu 0: 2 in use, of which 0 have shown what they cost", by: orchestrate.ByPace},
		// A session is 6.9 million pixels a second and so 5 % of the device's time: half
		// of what is allowed is given on the word of the start-up test.
		"the start-up test": {offer: device.Resources{Cost: 0.05 / 6_912_000}, renditions: 1, want: 8,
			words: "have shown what they cost", by: orchestrate.ByPace},
		"a remote's number": {offer: device.Resources{Remote: true, Sessions: 20}, renditions: 1, want: 20,
			words: "20 of 20 sessions in use", by: orchestrate.BySessions},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pool.New(nil, test.options)
			defer p.Close()
			if _, err := p.Attach(&coretest.SimDevice{Name: "0"}, test.offer); err != nil {
				t.Fatal(err)
			}
			n, err := fill(t, p, "s", test.renditions)
			if n != test.want {
				t.Errorf("%d admitted, want %d", n, test.want)
			}
			for _, refusal := range []error{err, p.Capped()} {
				wantRefusal(t, refusal, fault.OrchestratorCapped, test.words)
				if by, _ := errors.AsType[orchestrate.Bound](refusal); by != test.by {
					t.Errorf("bound by %q, want %q", by, test.by)
				}
			}
			p.EndSession("s0")
			if err := p.Admit(request("again", test.renditions)); err != nil {
				t.Errorf("after one ended: %v", err)
			}
		})
	}
}

// A number that the operator set too high costs no quality where what was measured
// counts as well.
func TestMeasuredBoundsANumber(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100, Measured: true, Untried: 1})
		defer p.Close()
		// One session is a ratio of a tenth.
		sim(t, p, &coretest.SimDevice{Name: "0", Cost: 0.1 / 6_912_000}, func(o *device.Resources) { o.Cost = 0 })
		n := 0
		for ; n < 20; n++ {
			if err := p.Admit(request(fmt.Sprint(n), 1)); err != nil {
				wantRefusal(t, err, fault.OrchestratorCapped, "would bring the real-time ratio to")
				break
			}
			for k := range 3 {
				together(t, p, n+1, k)
			}
		}
		if n < 6 || n > 8 {
			t.Errorf("%d admitted", n)
		}
		for _, u := range p.Devices() {
			if u.Ratio > 0.81 {
				t.Errorf("slower than promised: %+v", u)
			}
		}
	})
}

// TestLateSegmentsAreLoad: a device whose sessions are not done in time any more gets no
// further one, although nothing that is done says so.
func TestLateSegmentsAreLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{Untried: 1})
		defer p.Close()
		d := &coretest.SimDevice{Name: "0", Cost: 0.1 / 6_912_000}
		sim(t, p, d, func(o *device.Resources) { o.Cost = 0 })
		for k := range 3 {
			together(t, p, 1, k)
		}
		if err := p.Admit(request("second", 1)); err != nil {
			t.Fatal(err)
		}
		p.EndSession("second")
		d.Slow(60) // six times real time, which is over the deadline
		if _, err := p.Transcode(t.Context(), job("0", 3, 1)); err == nil {
			t.Fatal("a segment was done")
		}
		wantRefusal(t, p.Admit(request("third", 1)), fault.OrchestratorCapped, "would bring the real-time ratio to")
	})
}

// together sends segment k of sessions 0 to n-1 at once.
func together(t *testing.T, p *pool.Pool, n, k int) {
	t.Helper()
	done := make(chan error, n)
	for s := range n {
		go func() {
			_, err := p.Transcode(t.Context(), job(fmt.Sprint(s), k, 1))
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// The driver opens fewer encoders than the device said, because somebody else uses
// some: the segment goes elsewhere, and the device is not asked for that much again.
func TestADeviceThatRefusesIsLearnedFrom(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		device  *coretest.SimDevice
		foreign func(*coretest.SimDevice)
	}{
		"encoders": {&coretest.SimDevice{Name: "0", Encoders: 8}, func(d *coretest.SimDevice) { d.Foreign(4, 0) }},
		"memory": {&coretest.SimDevice{Name: "0", Memory: 800, SessionMemory: 100, RenditionMemory: 100},
			func(d *coretest.SimDevice) { d.Foreign(0, 400) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(nil, pool.Options{MaxSessions: 100})
				defer p.Close()
				sim(t, p, test.device)
				test.foreign(test.device)
				spare := &coretest.SimDevice{Name: "spare"}
				a := sim(t, p, spare)
				a.Suspend(fault.New(fault.NoDevices, "", "later"))
				for s := range 4 {
					if err := p.Admit(request(fmt.Sprint(s), 2)); err != nil {
						t.Fatal(err)
					}
				}
				a.Resume()
				for s := range 4 {
					if _, err := p.Transcode(t.Context(), job(fmt.Sprint(s), 0, 2)); err != nil {
						t.Errorf("session %d: %v", s, err)
					}
				}
				if at := where(p); at["0"] != 2 || at["spare"] != 2 {
					t.Errorf("sessions at %v", at)
				}
				a.Suspend(fault.New(fault.NoDevices, "", "again"))
				if err := p.Admit(request("more", 2)); !errors.Is(err, fault.OrchestratorCapped) {
					t.Errorf("more than it bears: %v", err)
				}
				<-time.After(6 * time.Minute)
				if err := p.Admit(request("more", 2)); err != nil {
					t.Errorf("others may have left it: %v", err)
				}
			})
		})
	}
}

// What a GPU showed that it bears ends when its memory is free again, as far as the
// samples of its memory speak of it; else after five minutes.
func TestMemoryThatIsFreeAgainIsUsed(t *testing.T) {
	t.Parallel()
	const before, sameSecond, after, never = -time.Second, 100 * time.Millisecond, 10 * time.Second, time.Hour
	for name, test := range map[string]struct {
		// From short to enough after the refusal less is free than a session needs; blind says
		// that nothing is known.
		short, enough time.Duration
		blind         bool
		want          time.Duration
	}{
		"free again":               {short: before, enough: after, want: after},
		"seen after the refusal":   {short: sameSecond, enough: after, want: after},
		"never free":               {short: before, enough: never, want: 5 * time.Minute},
		"free when it was refused": {short: never, enough: never, want: 5 * time.Minute},
		"nothing is known of it":   {blind: true, want: 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				free := func(string) (int64, time.Time, bool) {
					if since := time.Since(start) - time.Second; since >= test.short && since < test.enough {
						return 199, time.Now(), true
					}
					return 200, time.Now(), !test.blind
				}
				p := pool.New(nil, pool.Options{MaxSessions: 100, FreeMemory: free})
				defer p.Close()
				d := &coretest.SimDevice{Name: "0", Memory: 800, SessionMemory: 100, RenditionMemory: 100}
				sim(t, p, d)
				d.Foreign(0, 800)
				<-time.After(time.Second)
				if _, err := p.Transcode(t.Context(), job("a", 0, 2)); fault.CodeOf(err) != fault.GPUOutOfMemory {
					t.Fatal(err)
				}
				p.EndSession("a")
				refused := time.Now()
				for p.Admit(request("b", 2)) != nil && time.Since(refused) < time.Hour {
					<-time.After(time.Second)
				}
				if took := time.Since(refused); took < test.want || took > test.want+3*time.Second {
					t.Errorf("sessions again after %v, want %v", took, test.want)
				}
			})
		})
	}
}
