package devices_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// A driver that hangs from the start costs the first clip's time, no more.
func TestADriverThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		s.on = hanging("h264_yuv420p.ts")
		r := devices.Probe(t.Context(), s, devices.ProbeOptions{Streams: 1, Memory: s.used})
		if r.Fault == nil || r.Took != devices.DefaultProbeFirst || s.Jobs() != 1 {
			t.Errorf("got %+v after %d jobs", r, s.Jobs())
		}
		if !slices.Equal(s.replaced, []fault.Code{fault.TranscodeTimeout}) {
			t.Errorf("replaced for %v", s.replaced)
		}
	})
}

// One that hangs on a single codec goes without it, if it works again afterwards.
func TestADriverThatHangsOnOneCodec(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		s.on = hanging("vp9.webm")
		r := devices.Probe(t.Context(), s, devices.ProbeOptions{})
		if r.Fault != nil || r.Took != devices.DefaultProbeClip || r.Capabilities.Has(capability.VP9Decode) ||
			!r.Capabilities.Has(capability.H264DecodeYUV420Bit10) {
			t.Errorf("got %+v", r)
		}
	})
}

// One that never comes back from it is not used.
func TestADriverThatDoesNotComeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		var hung atomic.Bool
		s.on = func(ctx context.Context, clip string, job *core.TranscodeJob) error {
			if clip == "vp9.webm" {
				hung.Store(true)
			}
			if hung.Load() {
				return hanging(clip)(ctx, clip, job)
			}
			return nil
		}
		r := devices.Probe(t.Context(), s, devices.ProbeOptions{Streams: 2, Memory: s.used})
		if r.Fault == nil || r.Took != devices.DefaultProbeAll+devices.DefaultProbeFirst || r.Capabilities.Len() != 0 {
			t.Errorf("got %+v", r)
		}
	})
}

// Whoever stops the node does not have children replaced by it.
func TestATestThatIsCalledOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		s.on = hanging("h264_yuv420p.ts")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if r := devices.Probe(ctx, s, devices.ProbeOptions{}); r.Fault == nil || r.Took != time.Second ||
			len(s.replaced) != 0 {
			t.Errorf("got %+v, replaced %v", r, s.replaced)
		}
	})
}

func TestReprobe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		d := devices.NewDevice(s, devices.ProbeOptions{})
		if err := d.Reprobe(t.Context()); err != nil || s.Jobs() != 1 {
			t.Errorf("a good device: %v after %d jobs", err, s.Jobs())
		}
		s.on = failing(fault.New(fault.WorkerCrashed, "transcode", ""), "h264_yuv420p.ts")
		if err := d.Reprobe(t.Context()); !errors.Is(err, fault.DeviceTestFailed) || !errors.Is(err, fault.WorkerCrashed) {
			t.Errorf("a broken device: %v", err)
		}
		s.on = hanging("h264_yuv420p.ts")
		begin := time.Now()
		if err := d.Reprobe(t.Context()); !errors.Is(err, fault.DeviceTestFailed) ||
			time.Since(begin) != devices.DefaultProbeFirst || len(s.replaced) != 1 {
			t.Errorf("a device that hangs: %v after %v, replaced for %v", err, time.Since(begin), s.replaced)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.Reprobe(ctx); err == nil || errors.Is(err, fault.DeviceTestFailed) {
			t.Errorf("called off: %v", err)
		}
		s.on = nil
		s.limit = 8
		if n, err := d.EncoderLimit(t.Context(), 32); n != 8 || err != nil {
			t.Errorf("%d encoders, %v", n, err)
		}
		if r := d.Test(t.Context()); r.Fault != nil || r.EncoderSessions != 8 {
			t.Errorf("the whole test: %+v", r)
		}
	})
}

// inventory has a sample every second.
type inventory struct{ begin time.Time }

func (inventory) Devices() []device.GPU { return nil }
func (inventory) Err() *fault.Fault     { return nil }
func (inventory) Driver() device.Driver { return device.Driver{} }
func (i inventory) Sample(id device.UUID) (device.Sample, bool) {
	at := time.Now().Truncate(time.Second)
	return device.Sample{At: at, Used: device.Bytes(at.Sub(i.begin) / time.Second)}, id == "GPU-1"
}

func TestMemoryIsNotOfYesterday(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := inventory{time.Now().Truncate(time.Second)}
		used := devices.UsedMemory(i, "GPU-1", time.Now)
		if n, ok := used(t.Context()); n != 1 || !ok {
			t.Errorf("used %d, %t", n, ok)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if n, ok := devices.UsedMemory(i, "GPU-2", time.Now)(ctx); n != 0 || ok {
			t.Errorf("a GPU that is not there uses %d, %t", n, ok)
		}
	})
}
