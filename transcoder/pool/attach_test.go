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
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// sim attaches a simulated device with its own offer, as change makes it.
func sim(
	t *testing.T, p *pool.Pool, d *coretest.SimDevice, change ...func(*device.Resources),
) device.Attachment {
	t.Helper()
	o := d.Offer()
	for _, f := range change {
		f(&o)
	}
	a, err := p.Attach(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func remote(sessions int) func(*device.Resources) {
	return func(o *device.Resources) { o.Remote, o.Sessions = true, sessions }
}

func request(id string, renditions int) core.SessionRequest {
	r := core.SessionRequest{ID: core.SessionID(id)}
	for range renditions {
		r.Profiles = append(r.Profiles, core.Profile{Width: 640, Height: 360})
	}
	return r
}

// job is a segment of a session with the renditions of request.
func job(id string, n, renditions int) *core.TranscodeJob {
	j := segment(id, n)
	j.Profiles = request(id, renditions).Profiles
	return j
}

// where says how many sessions each device has.
func where(p *pool.Pool) map[string]int {
	out := make(map[string]int)
	for _, u := range p.Devices() {
		out[u.Device] = u.Sessions
	}
	return out
}

func wantRefusal(t *testing.T, err error, code fault.Code, words string) {
	t.Helper()
	if !errors.Is(err, code) || !strings.Contains(err.Error(), words) {
		t.Errorf("got %v, want %s with %q", err, code, words)
	}
}

func TestSimulatedDevicesKeepTheContract(t *testing.T) {
	t.Parallel()
	coretest.EngineContract(t, func(t testing.TB) coretest.Engine {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		for i := range 3 {
			d := &coretest.SimDevice{Name: fmt.Sprint(i), Encoders: 40}
			if _, err := p.Attach(d, d.Offer()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
		}
		return p
	}, coretest.FakeClips())
}

func TestWithoutDevices(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{})
	defer p.Close()
	wantRefusal(t, p.Admit(request("a", 1)), fault.NoTranscoders, "no transcoder is attached")
	if u := p.Usage(); u.Refusal == nil || u.Refusal.Code != fault.NoTranscoders {
		t.Errorf("usage %+v", u)
	}
	if _, err := p.Transcode(t.Context(), segment("a", 0)); fault.Wire(err) != "OrchestratorCapped" {
		t.Errorf("on the wire %q", fault.Wire(err))
	}
	a := sim(t, p, &coretest.SimDevice{Name: "0"})
	if err := p.Admit(request("a", 1)); err != nil || p.Usage().Refusal != nil {
		t.Errorf("with one: %v, %+v", err, p.Usage())
	}
	if _, err := p.Attach(&coretest.SimDevice{Name: "0"}, device.Resources{}); !errors.Is(err, fault.DeviceNameTaken) {
		t.Errorf("the name again: %v", err)
	}
	a.Detach()
	a.Detach()
	if _, err := p.Transcode(t.Context(), segment("a", 0)); !errors.Is(err, fault.NoTranscoders) || !fault.Retryable(err) {
		t.Errorf("its device has gone: %v", err)
	}
	sim(t, p, &coretest.SimDevice{Name: "0"})
	if res, err := p.Transcode(t.Context(), segment("a", 1)); err != nil || res.Worker != "gpu 0" {
		t.Errorf("another came: %v", err)
	}
}

func TestSessionsLeaveWhatIsSuspendedDrainedOrDetached(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*testing.T, device.Attachment){
		device.Suspended: func(_ *testing.T, a device.Attachment) {
			a.Suspend(fault.New(fault.NoDevices, "",
				"unplugged"))
		},
		device.Draining: func(t *testing.T, a device.Attachment) {
			if err := a.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		},
		"": func(_ *testing.T, a device.Attachment) { a.Detach() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pool.New(nil, pool.Options{MaxSessions: 10})
			defer p.Close()
			first, second := &coretest.SimDevice{Name: "0"}, &coretest.SimDevice{Name: "1"}
			a := sim(t, p, first)
			for s := range 3 {
				if _, err := p.Transcode(t.Context(), segment(fmt.Sprint(s), 0)); err != nil {
					t.Fatal(err)
				}
			}
			sim(t, p, second)
			leave(t, a)
			if name != "" {
				if u := p.Devices()[0]; u.State != name || u.Code == "" || u.Reason == "" {
					t.Errorf("shown as %+v", u)
				}
			}
			for s := range 3 {
				if _, err := p.Transcode(t.Context(), segment(fmt.Sprint(s), 1)); err != nil {
					t.Error(err)
				}
			}
			if at := where(p); at["0"] != 0 || at["1"] != 3 || first.Jobs() != 3 {
				t.Errorf("sessions at %v, %d segments at the first", at, first.Jobs())
			}
			if name == "" {
				return
			}
			a.Resume()
			if err := p.Admit(request("new", 1)); err != nil || where(p)["0"] != 1 {
				t.Errorf("resumed: %v, %v", err, where(p))
			}
		})
	}
}

func TestDrainOfADeviceWaitsForItsSegments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 10})
		defer p.Close()
		a := sim(t, p, &coretest.SimDevice{Name: "0", Cost: 1e-7})
		var wg sync.WaitGroup
		start := time.Now()
		wg.Go(func() {
			if _, err := p.Transcode(t.Context(), job("a", 0, 1)); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := p.DrainDevice(short, "0"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with little patience: %v", err)
		}
		if err := p.DrainDevice(t.Context(), "0"); err != nil || time.Since(start) < time.Second {
			t.Errorf("drained after %v: %v", time.Since(start), err)
		}
		wg.Wait()
		if err := p.DrainDevice(t.Context(), "9"); !errors.Is(err, fault.DeviceUnknown) {
			t.Error(err)
		}
		wantRefusal(t, p.Admit(request("b", 1)), fault.NoTranscoders, "none of 1 devices is ready")
		// Neither its own node nor another connection ends what the operator wants.
		a.Resume()
		a.Detach()
		a = sim(t, p, &coretest.SimDevice{Name: "0"})
		a.Resume()
		wantRefusal(t, p.Admit(request("b", 1)), fault.NoTranscoders, "none of 1 devices is ready")
		if u := p.Devices()[0]; u.State != device.Draining || u.Code != fault.DeviceDrained {
			t.Errorf("shown as %+v", u)
		}
		if err := p.ResumeDevice("0"); err != nil || p.Admit(request("b", 1)) != nil {
			t.Errorf("not resumed: %v", err)
		}
	})
}

func TestDevicesGetWhatTheyCanDo(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 100, Capabilities: capability.Offer(capability.Of(0, 1), "0.9.1")})
	defer p.Close()
	able := func(version string, ids ...capability.ID) func(*device.Resources) {
		return func(o *device.Resources) {
			o.Remote, o.Sessions = true, 10
			o.Capabilities = capability.Offer(capability.Of(ids...), version)
			o.Capabilities.Capacities = map[capability.ID]uint32{ids[0]: 7}
		}
	}
	old := sim(t, p, &coretest.SimDevice{Name: "old"}, able("0.8.0", 0, 1))
	sim(t, p, &coretest.SimDevice{Name: "new"}, able("0.9.0", 0, 1))
	sim(t, p, &coretest.SimDevice{Name: "hevc"}, able("0.8.5", 0, 1, capability.HEVCDecode))
	for s := range 30 {
		r := request(fmt.Sprint(s), 1)
		r.Needs = capability.Of(0)
		if s < 8 {
			r.MinVersion = "0.9"
		} else if s < 12 {
			r.Needs = capability.Of(0, capability.HEVCDecode)
		}
		if err := p.Admit(r); err != nil {
			t.Fatalf("session %d: %v", s, err)
		}
	}
	if at := where(p); at["old"] != 10 || at["new"] != 10 || at["hevc"] != 10 {
		t.Errorf("sessions at %v", at)
	}
	wantRefusal(t, p.Admit(request("more", 1)), fault.OrchestratorCapped, "no room on any of 3 devices; ")
	vp9 := core.SessionRequest{ID: "vp9", Needs: capability.Of(0, capability.VP9Decode)}
	wantRefusal(t, p.Admit(vp9), fault.NoCapableTranscoder, "missing ")
	if got := fault.Wire(p.Admit(vp9)); got != "no transcoders can provide requested capabilities" {
		t.Errorf("on the wire %q", got)
	}

	all := p.Capabilities()
	if !all.Bits.Has(capability.HEVCDecode) || all.Version != "0.9.1" || all.Units(0) != 21 {
		t.Errorf("together %+v", all)
	}
	old.Detach()
	if all := p.Capabilities(); all.Units(0) != 14 {
		t.Errorf("without one %+v", all)
	}
}

// A session whose source becomes another moves to a device that can do it.
func TestASessionThatNeedsMoreMoves(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 9})
	defer p.Close()
	plain := func(o *device.Resources) { o.Capabilities = capability.Offer(capability.Of(0), "") }
	sim(t, p, &coretest.SimDevice{Name: "plain"}, plain)
	if _, err := p.Transcode(t.Context(), segment("s", 0)); err != nil {
		t.Fatal(err)
	}
	more := segment("s", 1)
	more.Needs = capability.Of(0, capability.HEVCDecode)
	if _, err := p.Transcode(t.Context(), more); !errors.Is(err, fault.NoCapableTranscoder) {
		t.Errorf("nobody can: %v", err)
	}
	sim(t, p, &coretest.SimDevice{Name: "able"}, func(o *device.Resources) {
		o.Capabilities = capability.Offer(capability.Of(0, capability.HEVCDecode), "")
	})
	if res, err := p.Transcode(t.Context(), more); err != nil || res.Worker != "able" {
		t.Errorf("somebody can: %v", err)
	}
}

// tally keeps what was reported of remote transcoders.
type tally struct {
	core.NopRecorder
	mu   sync.Mutex
	last [3]int
}

func (r *tally) Transcoders(number, capacity, load int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = [3]int{number, capacity, load}
}

func (r *tally) want(t *testing.T, number, capacity, load int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != [3]int{number, capacity, load} {
		t.Errorf("reported %v, want %d %d %d", r.last, number, capacity, load)
	}
}

func TestRemoteTranscodersAreReported(t *testing.T) {
	t.Parallel()
	r := &tally{}
	p := pool.New(nil, pool.Options{MaxSessions: 9, Recorder: r})
	defer p.Close()
	sim(t, p, &coretest.SimDevice{Name: "local", Encoders: 1})
	a := sim(t, p, &coretest.SimDevice{Name: "rig1"}, remote(3))
	b := sim(t, p, &coretest.SimDevice{Name: "rig2"}, remote(4))
	r.want(t, 2, 7, 0)
	for s := range 4 {
		if err := p.Admit(request(fmt.Sprint(s), 2)); err != nil {
			t.Fatal(err)
		}
	}
	r.want(t, 2, 7, 4)
	p.EndSession("0")
	r.want(t, 2, 7, 3)
	b.Update(device.Resources{Remote: true, Sessions: 10})
	r.want(t, 2, 13, 3)
	a.Detach()
	b.Detach()
	r.want(t, 0, 0, 0)
}

func TestChangesAreToldOnceAndSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var notified atomic.Int32
		p := pool.New(nil, pool.Options{Changed: func() { notified.Add(1) }})
		defer p.Close()
		var first device.Attachment
		for i := range 50 {
			first = sim(t, p, &coretest.SimDevice{Name: fmt.Sprint(i)})
		}
		<-time.After(time.Second)
		if notified.Load() != 1 {
			t.Errorf("notified %d times of 50 devices that came at once", notified.Load())
		}
		first.Suspend(fault.New(fault.NoDevices, "", ""))
		<-time.After(time.Second)
		if notified.Load() != 2 {
			t.Errorf("notified %d times", notified.Load())
		}
		first.Update(device.Resources{})
		<-time.After(time.Second)
		if notified.Load() != 3 {
			t.Errorf("notified %d times after another offer", notified.Load())
		}
	})
}

// What a device did is counted on when it comes back under its name.
func TestCountersSurviveAReturn(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 10})
	counts := func() string {
		u := p.Devices()
		if len(u) != 1 {
			t.Fatalf("%+v", u)
		}
		return fmt.Sprintf("%d done, %d failed", u[0].Done, u[0].Failed)
	}
	for i := range 3 {
		a := sim(t, p, &coretest.SimDevice{Name: "rig1", Encoders: 4}, remote(2))
		if want := fmt.Sprintf("%d done, 0 failed", i); counts() != want {
			t.Errorf("registration %d: %s, want %s", i, counts(), want)
		}
		if _, err := p.Transcode(t.Context(), segment(fmt.Sprint("s", i), 0)); err != nil {
			t.Fatal(err)
		}
		a.Detach()
	}
}
