package libav

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// transcode runs a segment. While a GPU refuses a part of the work that the CPU can do,
// it retries with that part on the CPU.
func (e *Engine) transcode(
	ctx context.Context, own *session, spec *core.TranscodeJob, threads int,
) (*core.TranscodeResult, error) {
	if e.gpu == nil {
		return e.attempt(ctx, own, spec, threads, cpuBackend{})
	}
	f := own.formAt(e.sessions.now(), e.gpu.noEncoder.Load() != nil)
	for reclaimed := false; ; {
		own.mediaIn(f, e.gpu)
		out, err := e.attempt(ctx, own, spec, threads, backendFor(own.media, threads))
		if err == nil {
			own.media.settle()
			own.did(f)
			return out, nil
		}
		own.media.close()
		own.media = nil
		if ctx.Err() != nil {
			return nil, err
		}
		if full(err) && !reclaimed {
			// The resources of idle sessions may be enough.
			reclaimed = true
			if e.sessions.reclaim(idleUnderPressure) {
				continue
			}
		}
		less, ok := e.giveUpPart(own, spec, f, err)
		if !ok {
			return nil, err
		}
		f = less
	}
}

// full reports whether the device lacks capacity, not support.
func full(err error) bool {
	return errors.Is(err, fault.EncoderSessionsExhausted) || errors.Is(err, fault.GPUOutOfMemory)
}

func (e *Engine) attempt(
	ctx context.Context, own *session, spec *core.TranscodeJob, threads int, g backend,
) (*core.TranscodeResult, error) {
	j := &job{engine: e, backend: g, spec: spec, audioAlone: own.sawVideo, threads: threads}
	return j.run(ctx)
}

func backendFor(m *media, threads int) backend {
	if m.form.cpuDecode && m.form.cpuEncode {
		return cpuBackend{}
	}
	return &gpuBackend{media: m, threads: threads}
}

// giveUpPart returns the form with the refused part of the work on the CPU, and reports
// whether there is such a part.
func (e *Engine) giveUpPart(own *session, spec *core.TranscodeJob, f form, err error) (form, bool) {
	r, _ := errors.AsType[*refusal](err)
	e.recordNoEncoder(r)
	less, ok := f.without(err, own.mayLose(err), spec.Profiles)
	if !ok {
		return f, false
	}
	own.lose(f, less, r, e.sessions.now())
	e.log.Info("the CPU does a part of the session's work", "device", e.device,
		"session", spec.Session, "segment", spec.Number, "form", less.String(), "err", err)
	return less, true
}
