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

// lost is the fault of a transcoder whose connection broke.
var lost = fault.New(fault.RemoteWorkerLost, "transcode", "the connection broke")

// bounded sends a segment as a gateway does, which waits eight seconds.
func bounded(t *testing.T, p *pool.Pool, session string, n int) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	_, err := p.Transcode(ctx, job(session, n, 1))
	return err
}

// A segment goes on to other transcoders while its time lasts, to each once.
func TestASegmentOutlivesItsTranscoders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		var all []*coretest.SimDevice
		for i := range 4 {
			d := &coretest.SimDevice{Name: fmt.Sprint("rig", i), Cost: 1e-7}
			sim(t, p, d, remote(10))
			all = append(all, d)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := bounded(t, p, "s", 0); err != nil {
				t.Error(err)
			}
		})
		for range 3 {
			synctest.Wait()
			for _, d := range all {
				if sessions, _, _ := d.Used(); sessions > 0 {
					d.Lose(lost) // dies in the middle of its work
					break
				}
			}
		}
		wg.Wait()
		for i, d := range all {
			if d.Jobs() != 1 {
				t.Errorf("transcoder %d was tried %d times", i, d.Jobs())
			}
		}
		all[3].Lose(lost)
		if err := bounded(t, p, "s", 1); !errors.Is(err, lost.Code) {
			t.Errorf("none is left: %v", err)
		}
	})
}

// A stream over which transcoders die one after another is not tried on all there are.
func TestAStreamThatEndsTranscodersIsRefused(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 100})
	defer p.Close()
	var fakes []*coretest.Fake
	for i := range 20 {
		f := &coretest.Fake{Name: fmt.Sprint("rig", i)}
		f.On = func(_ context.Context, _ int, job *core.TranscodeJob) error {
			if job.Session == "poison" {
				return lost
			}
			return nil
		}
		if _, err := p.Attach(f, device.Resources{Remote: true, Sessions: 5}); err != nil {
			t.Fatal(err)
		}
		fakes = append(fakes, f)
	}
	for n, want := range []fault.Code{lost.Code, lost.Code, fault.SegmentRefused} {
		if err := bounded(t, p, "poison", n); !errors.Is(err, want) {
			t.Errorf("segment %d: %v", n, err)
		}
	}
	jobs := 0
	for _, f := range fakes {
		jobs += f.Jobs()
	}
	if jobs > 10 {
		t.Errorf("tried %d times", jobs)
	}
	if err := bounded(t, p, "other", 0); err != nil {
		t.Error(err)
	}
}

// A transcoder that falls silent leaves time for another.
func TestSilenceLeavesTimeForAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		silent := &coretest.SimDevice{Name: "silent"}
		silent.Hang()
		sim(t, p, silent, remote(10))
		sim(t, p, &coretest.SimDevice{Name: "works", Cost: 1e-7}, remote(10))
		start := time.Now()
		if err := bounded(t, p, "s", 0); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < 4*time.Second || took > 6*time.Second || silent.Jobs() != 1 {
			t.Errorf("took %v", took)
		}
		if at := where(p); at["works"] != 1 {
			t.Errorf("the session is at %v", at)
		}
	})
}

// A device in quarantine gets nothing before it passes its own test, and is announced
// again within a second of that.
func TestAQuarantinedDeviceIsTested(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		changed := make(chan int, 100)
		var p *pool.Pool
		p = pool.New(nil, pool.Options{MaxSessions: 100, Changed: func() { changed <- p.Ready() }})
		defer p.Close()
		d := &coretest.SimDevice{Name: "0"}
		sim(t, p, d)
		<-changed
		d.Lose(fault.New(fault.UnrecoverableState, "transcode", "fell off the bus"))
		for n := range 3 {
			if err := bounded(t, p, "s", n); !errors.Is(err, fault.UnrecoverableState) {
				t.Errorf("segment %d: %v", n, err)
			}
			<-time.After(time.Second)
		}
		if ready := <-changed; ready != 0 {
			t.Errorf("%d ready", ready)
		}
		u := p.Devices()[0]
		if u.State != device.Quarantined || u.Code != fault.UnrecoverableState || u.Reason != "fell off the bus" ||
			u.Failed == 0 {
			t.Errorf("shown as %+v", u)
		}
		wantRefusal(t, p.Admit(request("new", 1)), fault.NoTranscoders, "none of 1 devices is ready")
		<-time.After(10 * time.Minute)
		if p.Ready() != 0 {
			t.Error("it gets sessions although its test fails")
		}
		d.Recover()
		start := time.Now()
		if ready := <-changed; ready != 1 || time.Since(start) > 61*time.Second {
			t.Errorf("%d ready after %v", ready, time.Since(start))
		}
		if err := bounded(t, p, "s", 9); err != nil {
			t.Error(err)
		}
	})
}

// A GPU that gets hot and slow loses sessions to one that has room, one at a time
// until it keeps pace, and they do not come back at once.
func TestSessionsLeaveASlowDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		// One session is a ratio of 0.08.
		hot, cool := &coretest.SimDevice{Name: "hot", Cost: 0.08 / 6_912_000}, &coretest.SimDevice{Name: "cool",
			Cost: 0.08 / 6_912_000}
		sim(t, p, hot)
		a := sim(t, p, cool)
		a.Suspend(fault.New(fault.NoDevices, "", "later"))
		for k := range 5 {
			together(t, p, 6, k)
		}
		a.Resume()
		for k := range 5 {
			together(t, p, 6, k)
			<-time.After(time.Second)
		}
		if at := where(p); at["hot"] != 6 {
			t.Fatalf("sessions moved without need: %v", at)
		}
		hot.Slow(3)
		for k := range 60 {
			together(t, p, 6, k)
			<-time.After(time.Second)
		}
		at := where(p)
		if at["hot"] > 4 || at["hot"] < 1 || at["hot"]+at["cool"] != 6 {
			t.Errorf("sessions at %v", at)
		}
		for _, u := range p.Devices() {
			if u.Ratio > 1 {
				t.Errorf("still slower than real time: %+v", u)
			}
		}
	})
}
