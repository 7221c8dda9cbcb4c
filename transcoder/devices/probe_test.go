package devices_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// all is what a device without any gap has.
func all() capability.Set {
	return capability.SoftwareTranscoder().With(capability.HEVCEncode)
}

func TestAGoodDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(t)
		s.Latency = 120 * time.Millisecond
		r := devices.Probe(t.Context(), s, devices.ProbeOptions{Memory: s.used, Streams: 2})
		if r.Fault != nil || r.Device != "0" || len(r.Missing) != 0 || r.EncoderSessions != 0 || r.Took <= 0 {
			t.Fatalf("got %+v", r)
		}
		if !r.Capabilities.In(all()) || !all().In(r.Capabilities) {
			t.Errorf("capabilities %v", r.Capabilities.IDs())
		}
		if r.SessionMemory != 150<<20 || r.RenditionMemory != 50<<20 {
			t.Errorf("a session takes %d and %d", r.SessionMemory, r.RenditionMemory)
		}
		load := transcoder.Load([]core.Profile{{Width: 1280, Height: 720}, {Width: 854, Height: 480},
			{Width: 640, Height: 360}, {Width: 426, Height: 240}})
		if want := 0.12 / float64(2*load); r.Cost < want*0.999 || r.Cost > want*1.001 {
			t.Errorf("cost %g, want %g", r.Cost, want)
		}
		o := r.Offer(device.Resources{Sessions: 7, Memory: 8 << 30})
		if o.Sessions != 7 || o.Memory != 8<<30 || o.SessionMemory != r.SessionMemory ||
			o.RenditionMemory != r.RenditionMemory || o.Cost != r.Cost || !o.Capabilities.Bits.Has(capability.VP9Decode) {
			t.Errorf("offer %+v", o)
		}
		if left := s.sum(); left != 0 || len(s.Violations()) != 0 {
			t.Errorf("%d encoders are left open; %v", left, s.Violations())
		}
	})
}

func TestOptionalCapabilitiesThatAreNotThere(t *testing.T) {
	t.Parallel()
	refused := fault.New(fault.UnsupportedInputPixelFormat, "open decoder", "")
	for clip, id := range map[string]capability.ID{
		"hevc.ts": capability.HEVCDecode, "vp8.webm": capability.VP8Decode, "vp9.webm": capability.VP9Decode,
		"h264_yuv444p.ts": capability.H264DecodeYUV444Bit8, "h264_yuv422p.ts": capability.H264DecodeYUV422Bit8,
		"h264_yuv444p10le.ts": capability.H264DecodeYUV444Bit10, "h264_yuv422p10le.ts": capability.H264DecodeYUV422Bit10,
		"h264_yuv420p10le.ts": capability.H264DecodeYUV420Bit10,
	} {
		t.Run(clip, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			s.on = failing(refused, clip)
			r := devices.Probe(t.Context(), s, devices.ProbeOptions{})
			if r.Fault != nil || len(r.Missing) != 1 || r.Missing[0].ID != id ||
				!errors.Is(r.Missing[0].Err, fault.UnsupportedInputPixelFormat) {
				t.Fatalf("got %+v", r)
			}
			if want := all().Without(id); !r.Capabilities.In(want) || !want.In(r.Capabilities) {
				t.Errorf("capabilities %v", r.Capabilities.IDs())
			}
		})
	}
}

func TestACardWithoutAnEncoderForHEVC(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.on = func(_ context.Context, _ string, job *core.TranscodeJob) error {
		if job.Profiles[0].Encoder == core.CodecHEVC {
			return fault.New(fault.EncoderNotFound, "open encoder", "")
		}
		return nil
	}
	r := devices.Probe(t.Context(), s, devices.ProbeOptions{})
	if r.Fault != nil || r.Capabilities.Has(capability.HEVCEncode) || !r.Capabilities.Has(capability.HEVCDecode) {
		t.Errorf("got %+v", r)
	}
}

// The number of encoders is measured; where that cannot be, the largest number of
// renditions that worked stands for it. Neither makes the device a broken one.
func TestLimitsOfEncoders(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		limit  int
		counts error
		want   int
	}{
		{"none", 0, nil, 0},
		{"as many as are tried", 32, nil, 0},
		{"eight", 8, nil, 8},
		{"three", 3, nil, 3},
		{"three that cannot be counted", 3, fault.New(fault.WorkerClosed, "count", ""), 3},
		{"eight that cannot be counted", 8, fault.New(fault.WorkerClosed, "count", ""), 0},
		{"one", 1, nil, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			s.limit, s.counts = row.limit, row.counts
			r := devices.Probe(t.Context(), s, devices.ProbeOptions{Memory: s.used, Streams: 4})
			if r.Fault != nil || r.EncoderSessions != row.want || len(r.Missing) != 0 || r.Cost == 0 || r.SessionMemory == 0 {
				t.Errorf("got %+v, want %d", r, row.want)
			}
		})
	}
}

func TestDevicesThatCannotWork(t *testing.T) {
	t.Parallel()
	lies := func(change func(*core.TranscodeResult)) func(*testing.T) transcoder.Engine {
		return func(t *testing.T) transcoder.Engine { return liar{newScripted(t), change} }
	}
	failsWith := func(code fault.Code) func(*testing.T) transcoder.Engine {
		return func(t *testing.T) transcoder.Engine {
			s := newScripted(t)
			s.on = failing(fault.New(code, "transcode", ""), "h264_yuv420p.ts")
			return s
		}
	}
	for name, row := range map[string]struct {
		open func(*testing.T) transcoder.Engine
		code fault.Code
	}{
		"refuses H.264":         {failsWith(fault.UnsupportedInputCodec), fault.UnsupportedInputCodec},
		"has no memory":         {failsWith(fault.WorkerOutOfMemory), fault.WorkerOutOfMemory},
		"crashes":               {failsWith(fault.WorkerCrashed), fault.WorkerCrashed},
		"decodes nothing":       {lies(func(r *core.TranscodeResult) { r.DecodedPixels = 0 }), fault.InvalidData},
		"leaves renditions out": {lies(func(r *core.TranscodeResult) { r.Renditions = r.Renditions[:0] }), fault.InvalidData},
		"makes empty files":     {lies(func(r *core.TranscodeResult) { r.Renditions[0].Data = nil }), fault.InvalidData},
		"encodes no frames":     {lies(func(r *core.TranscodeResult) { r.Renditions[0].Frames = 0 }), fault.InvalidData},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := devices.Probe(t.Context(), row.open(t), devices.ProbeOptions{Streams: 1})
			if r.Fault == nil || r.Fault.Code != fault.DeviceTestFailed || !errors.Is(r.Fault, row.code) ||
				r.Fault.Detail != string(row.code) || r.Capabilities.Len() != 0 {
				t.Errorf("got %+v, %v", r, r.Fault)
			}
		})
	}
}

// liar changes what the engine answers.
type liar struct {
	*scripted
	change func(*core.TranscodeResult)
}

func (l liar) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	res, err := l.scripted.Transcode(ctx, job)
	if err == nil {
		l.change(res)
	}
	return res, err
}
