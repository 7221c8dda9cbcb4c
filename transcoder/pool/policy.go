package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// limit is how long an attempt may take: the segment's deadline, or what is left
// of the caller's.
func limit(ctx context.Context, job *core.TranscodeJob) limited {
	return limited{time: min(core.WorkDeadline(job.Duration), left(ctx, job))}
}

// left is what is left of the caller's time; without a deadline it is enough for
// two attempts.
func left(ctx context.Context, job *core.TranscodeJob) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return 2 * core.WorkDeadline(job.Duration)
}

// firstLimit is the limit of a first attempt. A gateway waits no longer than the
// deadline itself, so a hang found only then would leave no time for a second
// attempt. Where the session's segments are known to be far quicker, half of the
// time has to do.
func firstLimit(ctx context.Context, usual time.Duration, job *core.TranscodeJob) limited {
	full := limit(ctx, job)
	if half := left(ctx, job) / 2; usual > 0 && half >= 4*usual && half < full.time {
		return limited{time: half, soft: true}
	}
	return full
}

func (s *session) wallOf(p *Pool) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.wall
}

// worthRetry says whether another attempt can have another outcome.
func worthRetry(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Canceled, fault.DeadlineExceeded, fault.SegmentRefused:
		return false
	case fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat:
		// What one device cannot decode another may.
		return true
	}
	return fault.Retryable(err) && fault.ClassOf(err) != fault.BadRequest
}

// deadly says that a worker died of its own work.
func deadly(err error) bool {
	switch fault.CodeOf(err) {
	case fault.WorkerCrashed, fault.WorkerUnresponsive, fault.WorkerOutOfMemory, fault.WorkerProtocol:
		return true
	}
	return false
}

// suspect says that the segment may have caused the failure, so that its next
// attempt must not endanger others.
func suspect(err error) bool {
	return deadly(err) || fault.CodeOf(err) == fault.TranscodeTimeout
}

// deviceFault says that a failure counts against the device. Failures of media
// do not, or a hostile stream could put a device into quarantine.
func deviceFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.UnrecoverableState, fault.WorkerStartFailed, fault.WorkerQuarantined:
		return true
	}
	return suspect(err)
}
