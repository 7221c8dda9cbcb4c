package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// segmentLimit returns how long an attempt may take: the segment's deadline, or the rest of the
// caller's time.
func segmentLimit(ctx context.Context, job *core.TranscodeJob) timeLimit {
	return timeLimit{time: min(core.WorkDeadline(job.Duration), timeLeft(ctx, job))}
}

// timeLeft returns the rest of the caller's time; without a deadline it is enough for two
// attempts.
func timeLeft(ctx context.Context, job *core.TranscodeJob) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return 2 * core.WorkDeadline(job.Duration)
}

// expired reports whether the caller's time is over or ends right now: the caller's
// deadline and the attempt's may be the same.
func expired(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// attemptLimit returns the time limit of an attempt. A gateway waits no longer than the
// deadline, so a hang that is only detected then leaves no time for another attempt.
//
// If the session's segments usually take far less, the first attempt gets half of the
// time. On a remote device it always does while there are other devices: a transcoder that
// does not answer may be dead, and if it is not, its work does no harm. The attempt after an
// unanswered one gets all the remaining time, because the segment itself may be slow.
func (p *Pool) attemptLimit(ctx context.Context, d *device, a *segmentAttempts) timeLimit {
	all := segmentLimit(ctx, a.job)
	half, usual, try := timeLeft(ctx, a.job)/2, a.s.typical(), len(a.failures)+1
	if half >= all.time {
		return all
	}
	if d.isRemote() {
		if try < maxAttempts && p.Ready() > try && half >= 2*usual && a.countDevices((*failure).unanswered) == 0 {
			return timeLimit{time: half, soft: true}
		}
		return all
	}
	if try == 1 && usual > 0 && half >= 4*usual {
		return timeLimit{time: half, soft: true}
	}
	return all
}

// isRemote reports whether the device is on another machine.
func (d *device) isRemote() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offer.Remote
}

// worthRetry reports whether another attempt can succeed.
func worthRetry(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Canceled, fault.DeadlineExceeded, fault.SegmentRefused:
		return false
	case fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat, fault.EncoderSessionsExhausted,
		fault.GPUOutOfMemory:
		// Another device may support it or have capacity.
		return true
	}
	return fault.Retryable(err) && fault.ClassOf(err) != fault.BadRequest
}

// isFinal reports whether another attempt on the same device would fail again.
func isFinal(err error) bool {
	code := fault.CodeOf(err)
	return !worthRetry(err) && code != fault.Canceled && code != fault.DeadlineExceeded
}

// isContradictable reports whether a failure counts against its device once another
// device did the segment. Differences in capabilities and transient failures do not.
func isContradictable(err error) bool {
	switch fault.CodeOf(err) {
	case fault.RemoteWorkerLost, fault.RemoteIncompatible, fault.WorkerReplaced,
		fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat, fault.Canceled, fault.DeadlineExceeded:
		return false
	}
	return !capacityFailure(err) && !deviceFault(err) && fault.ClassOf(err) != fault.Busy
}

// workerDied reports whether the worker died or hung during the segment.
func workerDied(err error) bool {
	switch fault.CodeOf(err) {
	case fault.WorkerCrashed, fault.WorkerUnresponsive, fault.WorkerOutOfMemory, fault.WorkerProtocol:
		return true
	}
	return false
}

// maybeSegmentFault reports whether the segment may have caused the failure, so that its
// next attempt must not endanger others.
func maybeSegmentFault(err error) bool {
	return workerDied(err) || fault.CodeOf(err) == fault.TranscodeTimeout
}

// deviceFault reports whether a failure counts against the device at once. Failures of
// media do not, or a hostile stream could quarantine a device; see isContradictable.
func deviceFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.UnrecoverableState, fault.WorkerStartFailed, fault.WorkerQuarantined, fault.RemoteWorkerTimeout:
		return true
	}
	return maybeSegmentFault(err)
}
