package pool_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// rig attaches a transcoder on another machine that fails whatever is true of it.
func rig(t *testing.T, p *pool.Pool, name string, code fault.Code, fails func(*core.TranscodeJob) bool) *coretest.Fake {
	t.Helper()
	f := &coretest.Fake{Name: name, Latency: 100 * time.Millisecond}
	f.On = func(_ context.Context, _ int, job *core.TranscodeJob) error {
		if fails(job) {
			return fault.New(code, "transcode", "as asked")
		}
		return nil
	}
	if _, err := p.Attach(f, device.Resources{Remote: true, Sessions: 20}); err != nil {
		t.Fatal(err)
	}
	return f
}

func always(*core.TranscodeJob) bool { return true }
func never(*core.TranscodeJob) bool  { return false }

// A broken rig that fails everything at once has none of the sessions after a while,
// whatever it says, and nobody's segment fails for it.
func TestABrokenRigIsNoBlackHole(t *testing.T) {
	t.Parallel()
	for _, code := range []fault.Code{
		fault.InvalidArgument, fault.DecoderNotFound, fault.FiltergraphFailed, // "the input is bad"
		fault.TranscoderFailed, fault.RemoteResultRefused, fault.ZeroSegments, // worth another try
		fault.WorkerCrashed, fault.SegmentRefused, // "the stream kills workers"
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(nil, pool.Options{MaxSessions: 1000})
				defer p.Close()
				bad := rig(t, p, "bad", code, always)
				for i := range 3 {
					rig(t, p, fmt.Sprint("good", i), "", never)
				}
				for k := range 40 {
					for n := range 2 {
						if err := bounded(t, p, fmt.Sprint("s", k), n); err != nil {
							t.Errorf("session %d: %v", k, err)
						}
					}
					<-time.After(time.Second)
				}
				u := p.Devices()[0]
				if n := bad.Jobs(); n < 3 || n > 9 || u.Sessions != 0 {
					t.Errorf("the broken rig got %d segments of 80: %+v", n, u)
				}
			})
		})
	}
}

// Input that two devices refuse is bad: a third one gets a quarter of the requests, in case the two lie
// together, and no device pays for it.
func TestTwoDevicesAgree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		jobs := func() (n int) {
			for _, u := range p.Devices() {
				n += int(u.Failed)
			}
			return n
		}
		for i := range 4 {
			rig(t, p, fmt.Sprint("rig", i), fault.InvalidData, always)
		}
		for n := range 10 {
			err := bounded(t, p, "s", n)
			if !errors.Is(err, fault.InvalidData) || errors.Is(err, orchestrate.ErrUnconfirmed) || jobs() != 2*(n+1)+(n+1)/4 {
				t.Errorf("segment %d: %v after %d attempts", n, err, jobs())
			}
			<-time.After(time.Second)
		}
		if p.Ready() != 4 {
			t.Errorf("%d are ready", p.Ready())
		}
	})
}

// A stream that kills the workers of two machines is not sent to a third unless these have ended over
// several streams in a row, costs none of them its place, and is soon refused here.
func TestAStreamThatKillsWorkersElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{MaxSessions: 100})
		defer p.Close()
		var rigs []*coretest.Fake
		for i := range 6 {
			rigs = append(rigs, rig(t, p, fmt.Sprint("rig", i), fault.WorkerCrashed,
				func(job *core.TranscodeJob) bool { return job.Session != "good" }))
		}
		for s := range 3 {
			for n, want := range []fault.Code{fault.WorkerCrashed, fault.WorkerCrashed, fault.SegmentRefused} {
				if err := bounded(t, p, fmt.Sprint("poison", s), n); !errors.Is(err, want) {
					t.Errorf("segment %d: %v", n, err)
				}
				<-time.After(time.Second)
			}
		}
		jobs := 0
		for _, f := range rigs {
			jobs += f.Jobs()
		}
		if jobs > 14 || p.Ready() != 6 || bounded(t, p, "good", 0) != nil {
			t.Errorf("%d attempts, %d are ready", jobs, p.Ready())
		}
	})
}

// Where nobody else can be asked a rig's word goes out as that of one, and the session
// looks for another place; the word of this machine's own CPU is enough.
func TestOneOpinion(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 100})
	defer p.Close()
	rig(t, p, "bad", fault.InvalidArgument, always)
	err := bounded(t, p, "s", 0)
	if !errors.Is(err, fault.InvalidArgument) || fault.CodeOf(err) != fault.InvalidArgument ||
		!errors.Is(err, orchestrate.ErrUnconfirmed) {
		t.Errorf("alone: %v", err)
	}
	if f, ok := errors.AsType[*fault.Fault](err); !ok || f.Detail != "as asked" {
		t.Errorf("told as %v", err)
	}
	good := rig(t, p, "good", "", never)
	if err := bounded(t, p, "s", 1); err != nil || good.Jobs() != 1 || p.Devices()[0].Failed != 1 {
		t.Errorf("the session stayed: %v", err)
	}

	own := &coretest.Fake{On: failing(9, fault.InvalidData)}
	cpu := pool.New(nil, pool.Options{MaxSessions: 100})
	defer cpu.Close()
	if _, err := cpu.Attach(own, device.Resources{}); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := bounded(t, cpu, "s", n); !errors.Is(err, fault.InvalidData) ||
			errors.Is(err, orchestrate.ErrUnconfirmed) || own.Jobs() != n+1 {
			t.Errorf("our own CPU: %v", err)
		}
	}
}

// One that refuses and one that has a problem of its own: elsewhere it may be well.
func TestAnOpinionAndATrouble(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 100})
	defer p.Close()
	rig(t, p, "0", fault.InvalidArgument, always)
	rig(t, p, "1", fault.TranscoderFailed, always)
	if err := bounded(t, p, "s", 0); !errors.Is(err, fault.TranscoderFailed) {
		t.Errorf("got %v", err)
	}
}
