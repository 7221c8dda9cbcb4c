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

// limitOf is the limit of an attempt. A gateway waits no longer than the deadline
// itself, so a hang found only then would leave no time for another attempt.
//
// Where the session's segments are known to be far quicker, half of the time has to
// do for the first. On another machine it always has to while there are other
// devices: a transcoder that has fallen silent may be dead, and if it is not, the
// work there harms nobody. The last attempt gets all that is left.
func (p *Pool) limitOf(ctx context.Context, s *session, d *device, job *core.TranscodeJob, try int) limited {
	all := limit(ctx, job)
	half, usual := left(ctx, job)/2, s.usual()
	if half >= all.time {
		return all
	}
	if d.elsewhere() {
		if try < maxAttempts && p.Ready() > try && half >= 2*usual {
			return limited{time: half, soft: true}
		}
		return all
	}
	if try == 1 && usual > 0 && half >= 4*usual {
		return limited{time: half, soft: true}
	}
	return all
}

// elsewhere says that the device is on another machine.
func (d *device) elsewhere() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offer.Remote
}

// worthRetry says whether another attempt can have another outcome.
func worthRetry(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Canceled, fault.DeadlineExceeded, fault.SegmentRefused:
		return false
	case fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat, fault.EncoderSessionsExhausted, fault.GPUOutOfMemory:
		// What one device cannot do another may.
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
