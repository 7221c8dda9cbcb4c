package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
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
func (p *Pool) attemptLimit(ctx context.Context, d *poolDevice, a *segmentAttempts) timeLimit {
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
