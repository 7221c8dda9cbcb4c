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

// over says that nobody waits for the segment any more, or will not in this instant:
// the caller's deadline and an attempt's may be the same.
func over(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// limitOf is the limit of an attempt. A gateway waits no longer than the deadline
// itself, so a hang found only then would leave no time for another attempt.
//
// Where the session's segments are known to be far quicker, half of the time has to
// do for the first. On another machine it always has to while there are other
// devices: a transcoder that has fallen silent may be dead, and if it is not, the
// work there harms nobody. Whoever comes after one that was silent gets all that is
// left: it may be the segment that takes so long.
func (p *Pool) limitOf(ctx context.Context, d *device, c *course) limited {
	all := limit(ctx, c.job)
	half, usual, try := left(ctx, c.job)/2, c.s.usual(), len(c.failures)+1
	if half >= all.time {
		return all
	}
	if d.elsewhere() {
		if try < maxAttempts && p.Ready() > try && half >= 2*usual && c.count((*failure).late) == 0 {
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

// verdict says that a device will not have the segment, so that another attempt there
// would end alike.
func verdict(err error) bool {
	code := fault.CodeOf(err)
	return !worthRetry(err) && code != fault.Canceled && code != fault.DeadlineExceeded
}

// contradicted says that a failure speaks against its device once another one has done
// the segment: not what devices differ in, and not what is of the moment.
func contradicted(err error) bool {
	switch fault.CodeOf(err) {
	case fault.RemoteWorkerLost, fault.RemoteIncompatible, fault.WorkerReplaced,
		fault.UnsupportedInputCodec, fault.UnsupportedInputPixelFormat, fault.Canceled, fault.DeadlineExceeded:
		return false
	}
	return !full(err) && !deviceFault(err) && fault.ClassOf(err) != fault.Busy
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
// do not, or a hostile stream could put a device into quarantine; see contradicted for
// those that are none.
func deviceFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.UnrecoverableState, fault.WorkerStartFailed, fault.WorkerQuarantined, fault.RemoteWorkerTimeout:
		return true
	}
	return suspect(err)
}
