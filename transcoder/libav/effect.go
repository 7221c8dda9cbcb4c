package libav

//#include "effect.h"
import "C"

import (
	"fmt"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// effectScaler makes frames of one size with an effect. It scales if needed, and then draws into its own
// frame, because all renditions share the source's frame.
type effectScaler struct {
	scaler
	effect core.Effect
	drawn  *astiav.Frame
}

// scale returns the frame to encode; see scaler.
func (s *effectScaler) scale(src *astiav.Frame) (*astiav.Frame, error) {
	const op = "draw effect"
	f, err := s.scaler.scale(src)
	if err != nil || s.effect == core.EffectPlain {
		return f, err
	}
	if f.PixelFormat() != astiav.PixelFormatYuv420P {
		return nil, fault.New(fault.FiltergraphFailed, op, "no effect for this pixel format")
	}
	if err := s.buffer(); err != nil {
		return nil, failed(op, err)
	}
	if r := C.tutti_effect(frameC(f), frameC(s.drawn), C.int(s.effect)); r < 0 {
		return nil, failed(op, astiav.Error(r))
	}
	return s.drawn, nil
}

// buffer makes drawn a frame that may be written.
func (s *effectScaler) buffer() error {
	if s.drawn == nil {
		if s.drawn = astiav.AllocFrame(); s.drawn == nil {
			return errENOMEM
		}
	} else if s.drawn.IsWritable() {
		return nil
	}
	s.drawn.Unref()
	s.drawn.SetWidth(s.width)
	s.drawn.SetHeight(s.height)
	s.drawn.SetPixelFormat(astiav.PixelFormatYuv420P)
	return s.drawn.AllocBuffer(0)
}

func (s *effectScaler) close() {
	s.scaler.close()
	if s.drawn != nil {
		s.drawn.Free()
		s.drawn = nil
	}
}

// newScaler makes the scaler of a rendition of a size.
func (r *rendition) newScaler(width, height int) scaling {
	if e := r.job.spec.Effect; e != core.EffectNone {
		return &effectScaler{scaler: scaler{width: width, height: height, threads: 1}, effect: e}
	}
	return r.job.backend.scaler(r.slot, width, height, 1)
}

// box returns the profile that decides the size. With an effect, the size follows the source's.
func (r *rendition) box(s shape) core.Profile {
	p := r.profile
	if r.job.spec.Effect != core.EffectNone {
		p.Width, p.Height = min(s.width, core.EffectSide), min(s.height, core.EffectSide)
	}
	return p
}

// checkEffect refuses an unknown effect, and one that the device cannot draw.
func (e *Engine) checkEffect(spec *core.TranscodeJob) error {
	switch {
	case spec.Effect == core.EffectNone:
		return nil
	case !spec.Effect.Valid() || e.gpu != nil:
		return fault.New(fault.TranscoderInvalidInput, "check job", fmt.Sprintf("effect %d on %s", spec.Effect, e.device))
	}
	return nil
}
