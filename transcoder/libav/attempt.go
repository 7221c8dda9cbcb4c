package libav

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// transcode does a segment, on a GPU again and again with less of it for as long as
// the GPU refuses something that the processor can do.
func (e *Engine) transcode(ctx context.Context, own *session, spec *core.TranscodeJob, threads int) (*core.TranscodeResult, error) {
	if e.gpu == nil {
		return e.attempt(ctx, own, spec, threads, cpuGear{})
	}
	own.form.cpuEncode = own.form.cpuEncode || e.gpu.noEncoder.Load()
	for reclaimed := false; ; {
		if own.media != nil && own.media.form != own.form {
			own.media.close()
			own.media = nil
		}
		if own.media == nil {
			own.media = newMedia(e.gpu, own.form)
		}
		out, err := e.attempt(ctx, own, spec, threads, e.gearFor(own))
		if err == nil {
			own.media.settle()
			return out, nil
		}
		own.media.close()
		own.media = nil
		if ctx.Err() != nil {
			return nil, err
		}
		if full(err) && !reclaimed {
			// What sessions between two segments hold may be all that is missing.
			reclaimed = true
			if e.sessions.reclaim(idleUnderPressure) {
				continue
			}
		}
		if !e.giveUpPart(own, spec, err) {
			return nil, err
		}
	}
}

// full reports whether the device has no room, rather than no way.
func full(err error) bool {
	return errors.Is(err, fault.EncoderSessionsExhausted) || errors.Is(err, fault.GPUOutOfMemory)
}

func (e *Engine) attempt(ctx context.Context, own *session, spec *core.TranscodeJob, threads int, g gear) (*core.TranscodeResult, error) {
	j := &job{engine: e, gear: g, spec: spec, audioAlone: own.sawVideo, threads: threads}
	return j.run(ctx)
}

func (e *Engine) gearFor(own *session) gear {
	if own.form.cpuDecode && own.form.cpuEncode {
		return cpuGear{}
	}
	return &gpuGear{media: own.media}
}

// giveUpPart lets the processor do the part of a session's work that the device has
// refused, and reports whether there was such a part.
func (e *Engine) giveUpPart(own *session, spec *core.TranscodeJob, err error) bool {
	r, _ := errors.AsType[*refusal](err)
	if r != nil && r.forever && !e.gpu.noEncoder.Swap(true) {
		e.log.Warn("the GPU has no encoder; the processor encodes", "device", e.device, "err", err)
	}
	f, ok := own.form.without(err, own.established, spec.Profiles)
	if !ok {
		return false
	}
	own.form = f
	e.log.Info("the processor does a part of the session's work", "device", e.device,
		"session", spec.Session, "form", f.String(), "err", err)
	return true
}
