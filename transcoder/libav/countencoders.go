package libav

import (
	"context"
	"errors"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

const opCount = "count encoder sessions"

// countWidth and countHeight are the size of the frames of sessions that are only counted.
const countWidth, countHeight = 256, 144

// Kind says what kind of device the engine's is: "cpu" or "nvidia".
func (e *Engine) Kind() string {
	if e.gpu == nil {
		return "cpu"
	}
	return "nvidia"
}

// EncoderLimit opens encoder sessions of the GPU until the driver refuses one, or
// until there are atMost, closes them and says how many there were. Those that are
// in use already, also by other programs, count against the driver's limit. A GPU
// without an encoder has 0, and so has the CPU. An error says that the search
// ended by something else than a refusal; the number is then what was reached.
func (e *Engine) EncoderLimit(ctx context.Context, atMost int) (open int, err error) {
	if e.gpu == nil {
		return 0, nil
	}
	like, err := e.gpu.blank(countWidth, countHeight)
	if err != nil {
		return 0, err
	}
	defer like.Free()
	spec := encoderSpec{
		profile: core.Profile{Bitrate: 200_000}, width: countWidth, height: countHeight,
		base: mediafile.MPEGClock, rate: astiav.NewRational(30, 1),
	}
	var all []*encoder
	defer func() { freeEncoders(all) }()
	for len(all) < atMost {
		if ctx.Err() != nil {
			return len(all), failed(opCount, context.Cause(ctx))
		}
		one, err := openNVENC(spec, like)
		if r, ok := errors.AsType[*refusal](err); ok && r.forever {
			e.recordNoEncoder(r)
			return 0, nil
		}
		if err = e.gpu.refusedSession(err); fault.CodeOf(err) == fault.EncoderSessionsExhausted {
			return len(all), nil
		}
		if err != nil {
			return len(all), failed(opCount, err)
		}
		all = append(all, one)
	}
	return len(all), nil
}

// blank makes a frame on the GPU.
func (g *gpu) blank(width, height int) (*astiav.Frame, error) {
	const op = "allocate GPU frame"
	frames, f := astiav.AllocHardwareFramesContext(g.context), astiav.AllocFrame()
	log := newCapture()
	defer log.free()
	if frames == nil || f == nil {
		return nil, failed(op, errENOMEM)
	}
	defer frames.Free()
	frames.SetHardwarePixelFormat(astiav.PixelFormatCuda)
	frames.SetSoftwarePixelFormat(astiav.PixelFormatNv12)
	frames.SetWidth(width)
	frames.SetHeight(height)
	err := log.do(func() error {
		if err := frames.Initialize(); err != nil {
			return err
		}
		return f.AllocHardwareBuffer(frames)
	})
	if err != nil {
		f.Free()
		return nil, deviceFailed(op, err)
	}
	return f, nil
}
