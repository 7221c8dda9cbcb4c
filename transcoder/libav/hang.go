package libav

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// A call into a GPU's driver cannot be interrupted, and some never return. These are
// how long a stopped job and a closed engine wait for their work before they leave it
// to its thread.
const (
	stopPatience  = time.Second
	closePatience = 3 * time.Second
)

// outcome is what Transcode returns.
type outcome struct {
	result *core.TranscodeResult
	err    error
}

// workOrLeave is work for a GPU: when the job is stopped and its work does not end,
// the caller has its answer all the same. The work is the session's, and Close waits
// for it.
func (e *Engine) workOrLeave(
	ctx context.Context, own *session, spec *core.TranscodeJob, active int,
) (*core.TranscodeResult, error) {
	e.sessions.reclaim(idleAtMost)
	done := make(chan outcome, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		result, err := e.work(ctx, own, spec, active)
		done <- outcome{result, err}
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		if !within(ended, stopPatience) {
			e.log.Warn("the GPU's driver does not return; the segment is left to it", "device", e.device, "session",
				spec.Session)
			return nil, failed("transcode segment", context.Cause(ctx))
		}
	}
	o := <-done
	return o.result, o.err
}

// within waits for a channel to be closed and reports whether it was in time.
func within(c <-chan struct{}, patience time.Duration) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-c:
		return true
	case <-late.C:
		return false
	}
}
