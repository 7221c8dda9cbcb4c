package devices_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// A GPU on which every clip takes long, as when kernels are compiled each time, is
// offered with what it has shown by the end of the test's time.
func TestAHealthyCardThatIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		s.Latency = 9 * time.Second
		r := devices.Probe(t.Context(), s, devices.ProbeOptions{Streams: 4, Memory: s.used})
		if r.Fault != nil || len(s.replaced) != 0 {
			t.Fatalf("got %+v, replaced %v", r, s.replaced)
		}
		if want := 2*s.Latency + devices.DefaultProbeAll; r.Took != want {
			t.Errorf("took %v, want %v", r.Took, want)
		}
		for id, want := range map[capability.ID]bool{
			capability.H264: true, capability.HEVCDecode: true, capability.HEVCEncode: true, capability.VP9Decode: true,
			capability.H264DecodeYUV420Bit10: false,
		} {
			if r.Capabilities.Has(id) != want {
				t.Errorf("%v: %t, want %t", id, !want, want)
			}
		}
		if len(r.Missing) != 3 || r.SessionMemory <= 0 {
			t.Errorf("got %+v", r)
		}
	})
}

// After a driver hung, the next clip waits for a new process, which takes its time;
// that is no lack of the clip's capability.
func TestAChildThatStartsSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		hang := hanging("vp8.webm")
		s.on = func(ctx context.Context, clip string, job *core.TranscodeJob) error {
			if clip == "vp9.webm" {
				<-time.After(devices.DefaultProbeClip + 5*time.Second)
			}
			return hang(ctx, clip, job)
		}
		r := devices.Probe(t.Context(), s, devices.ProbeOptions{})
		if r.Fault != nil || r.Capabilities.Has(capability.VP8Decode) || !r.Capabilities.Has(capability.VP9Decode) ||
			len(r.Missing) != 1 {
			t.Errorf("got %+v", r)
		}
	})
}

// Counting encoders may take longer than a clip. When it takes too long, the GPU is
// offered without a number, and its process is left alone.
func TestACountThatTakesLong(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		slow time.Duration
		want int
	}{{devices.DefaultProbeCount - time.Second, 8}, {devices.DefaultProbeCount + time.Second, 0}} {
		synctest.Test(t, func(t *testing.T) {
			s := newScripted(t)
			s.limit, s.slow = 8, row.slow
			r := devices.Probe(t.Context(), s, devices.ProbeOptions{})
			if r.Fault != nil || r.EncoderSessions != row.want || r.NoEncoder || len(s.replaced) != 0 || len(r.Missing) != 0 {
				t.Errorf("%v: got %+v, replaced %v", row.slow, r, s.replaced)
			}
			if s.Jobs() != 10 {
				t.Errorf("%d jobs: a count is no reason to try the GPU again", s.Jobs())
			}
		})
	}
}

func TestACardThatDoesNotEncode(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.none = true
	if r := devices.Probe(t.Context(), s, devices.ProbeOptions{}); r.Fault != nil || !r.NoEncoder ||
		r.EncoderSessions != 0 {
		t.Errorf("got %+v", r)
	}
}

// What is known is not counted again, and a GPU whose encoders others use is no
// smaller for it.
func TestWhatWasCountedIsNotCountedAgain(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.limit = 8
	d := devices.NewDevice(s, devices.ProbeOptions{})
	known := d.Count(t.Context())
	if known != (devices.EncoderCount{Most: 8}) || s.counted != 1 {
		t.Fatalf("counted %+v, %d times", known, s.counted)
	}
	s.limit = 2
	if r := d.TestCounted(t.Context(), known); r.Fault != nil || r.EncoderSessions != 8 || s.counted != 1 {
		t.Errorf("got %+v, counted %d times", r, s.counted)
	}
}

// Who asks whether a device is well again gives it as long as a first clip takes: a
// device that hangs for all that time is replaced.
func TestAReprobeWithLittleTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		s.on = hanging("h264_yuv420p.ts")
		ctx, cancel := context.WithTimeout(t.Context(), devices.DefaultProbeFirst)
		defer cancel()
		if err := devices.NewDevice(s, devices.ProbeOptions{}).Reprobe(ctx); fault.CodeOf(err) != fault.DeviceTestFailed ||
			!slices.Equal(s.replaced, []fault.Code{fault.TranscodeTimeout}) {
			t.Errorf("got %v, replaced %v", err, s.replaced)
		}
	})
}
