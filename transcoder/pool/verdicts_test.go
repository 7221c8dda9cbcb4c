package pool_test

import (
	"context"
	"fmt"
	"strings"
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

// named collects the devices that a pool names as unreliable.
type named struct {
	mu   sync.Mutex
	ever map[string]string
}

func (n *named) record(device, detail string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if detail == "" {
		return
	}
	if n.ever == nil {
		n.ever = make(map[string]string)
	}
	n.ever[device] = detail
}

// names returns the devices that were named so far.
func (n *named) names() map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make(map[string]string)
	for k, v := range n.ever {
		out[k] = v
	}
	return out
}

// Several transcoders that always report the same about good segments: each healthy stream loses
// its first segments at most, the honest devices keep their sessions, and only the others are named.
func TestTranscodersThatLieTogether(t *testing.T) {
	t.Parallel()
	for _, code := range []fault.Code{fault.InvalidData, fault.SegmentRefused, fault.WorkerCrashed} {
		for _, c := range []struct {
			liars, honest int
			local         bool
		}{{2, 1, false}, {2, 0, true}, {3, 3, false}, {5, 2, false}} {
			t.Run(fmt.Sprintf("%s/%d of %d, local %t", code, c.liars, c.liars+c.honest, c.local), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { lieTogether(t, code, c.liars, c.honest, c.local) })
			})
		}
	}
}

func testClip() *core.TranscodeJob {
	return &core.TranscodeJob{Input: []byte("clip"), Duration: time.Second}
}

func lieTogether(t *testing.T, code fault.Code, liars, honest int, local bool) {
	var n named
	p := pool.New(nil, pool.Options{MaxSessions: 1000, Unreliable: n.record, TestClip: testClip})
	defer p.Close()
	for i := range honest {
		rig(t, p, fmt.Sprint("honest", i), "", never)
	}
	if local {
		if _, err := p.Attach(&coretest.Fake{Name: "own", Latency: 100 * time.Millisecond}, device.Resources{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range liars {
		rig(t, p, fmt.Sprint("liar", i), code, always)
	}
	late, lost := 0, 0
	for k := range 20 {
		for s := range 12 { // of which half are new streams
			id := fmt.Sprint("stream", s)
			if s%2 == 1 {
				id = fmt.Sprint(id, "-", k)
			}
			if err := bounded(t, p, id, k); err != nil {
				if lost++; k > 2 {
					late++
				}
			}
			if s%2 == 1 {
				p.EndSession(core.SessionID(id))
			}
			<-time.After(100 * time.Millisecond)
		}
	}
	if late > 0 || lost > 12 {
		t.Errorf("the streams lost %d of 240 segments, %d of them late", lost, late)
	}
	for name := range n.names() {
		if !strings.HasPrefix(name, "liar") {
			t.Errorf("%s was named", name)
		}
	}
	if len(n.names()) == 0 {
		t.Error("no device was named")
	}
	for _, u := range p.Devices() {
		if !strings.HasPrefix(u.Device, "liar") && u.State != device.Ready {
			t.Errorf("%s is %s", u.Device, u.State)
		}
	}
}

// A transcoder that is the only device and calls everything bad is found by the node's own clip; one
// that fails bad segments rightly passes it.
func TestTheTestClipSettlesIt(t *testing.T) {
	t.Parallel()
	for _, lies := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var n named
			p := pool.New(nil, pool.Options{MaxSessions: 100, Unreliable: n.record,
				TestClip: testClip})
			defer p.Close()
			rig(t, p, "only", fault.InvalidData, func(job *core.TranscodeJob) bool {
				return lies || string(job.Input) != "clip"
			})
			for k := range 5 {
				_ = bounded(t, p, "s", k)
				<-time.After(time.Second)
			}
			if (p.Ready() == 0) != lies || (len(n.names()) > 0) != lies {
				t.Errorf("lies %t: %d are ready, named %v", lies, p.Ready(), n.names())
			}
			<-time.After(10 * time.Minute)
			if (p.Ready() == 0) != lies {
				t.Errorf("lies %t: %d are ready later", lies, p.Ready())
			}
		})
	}
}

// The same for this machine's own media worker.
func TestAnOwnDeviceThatCallsTheClipBad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n named
		d := &lying{Fake: &coretest.Fake{On: failing(99, fault.InvalidData)}}
		p := pool.New(nil, pool.Options{MaxSessions: 100, Unreliable: n.record})
		defer p.Close()
		if _, err := p.Attach(d, device.Resources{}); err != nil {
			t.Fatal(err)
		}
		for k := range 4 {
			_ = bounded(t, p, "s", k)
			<-time.After(time.Second)
		}
		if p.Ready() != 0 || len(n.names()) != 1 {
			t.Errorf("%d are ready, named %v", p.Ready(), n.names())
		}
	})
}

// lying is a device of this machine that calls the test clip bad.
type lying struct{ *coretest.Fake }

func (*lying) Reprobe(context.Context) error {
	return fault.Wrap(fault.DeviceTestFailed, "test a device", fault.New(fault.InvalidData, "transcode", "no frame"))
}
