package libav

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
)

// warmUpClip is one gray frame of 640×360 in H.264, which is a key frame.
//
//go:embed warmup.ts
var warmUpClip string

// warmUpJob asks for a rendition that takes every kind of filter that is built.
func warmUpJob() *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: "warm-up", Input: []byte(warmUpClip), Duration: time.Second,
		Profiles: []core.Profile{{Name: "warm-up", Width: 256, Height: 144, Bitrate: 200_000}},
	}
}

// warmUp lets a frame take every way through the GPU. The driver then opens its
// files and compiles the kernels for this GPU, which takes seconds, before the first
// segment needs them, and while the process may still write where the driver keeps
// what it compiled. What fails is only logged: the device's test finds it, too.
func (e *Engine) warmUp() {
	job, begin := warmUpJob(), time.Now()
	for f := (form{}); ; {
		err := e.pass(f, job)
		if err == nil {
			if f == (form{}) {
				err = e.pass(form{cpuDecode: true}, job)
			}
			e.log.Debug("the GPU is warm", "device", e.device, "form", f.String(), "took", time.Since(begin), "err", err)
			break
		}
		e.log.Debug("the GPU does not do all of its part", "device", e.device, "form", f.String(), "err", err)
		r, _ := errors.AsType[*refusal](err)
		e.recordNoEncoder(r)
		less, ok := f.without(err, full(err), nil)
		if !ok {
			break
		}
		f = less
	}
	e.drainLog(job)
}

// pass does a job as a session of its own would in one form, and leaves nothing behind.
func (e *Engine) pass(f form, job *core.TranscodeJob) error {
	m := newMedia(e.gpu, f)
	defer m.close()
	_, err := e.attempt(context.Background(), &session{media: m}, job, 1, backendFor(m, 1))
	return err
}
