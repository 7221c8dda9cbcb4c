package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// replacer is an engine whose process can be killed and replaced when native code hangs.
type replacer interface {
	Replace(reason fault.Code)
}

// isolator is an engine that can run a segment in a process of its own, so that a crash
// fails no other segment.
type isolator interface {
	Alone(ctx context.Context) (transcoder.Engine, error)
}

func (d *poolDevice) isolates() bool { return d.isolatedSlots != nil }

// retryIsolated retries a segment whose worker ended in a process of its own. Until it is
// done, new streams of its sender do not share workers with others.
func (a *segmentAttempts) retryIsolated(ctx context.Context, d *poolDevice) (*core.TranscodeResult, error) {
	r := a.p.incidents
	r.RetryBegan(a.segment, time.Now())
	defer func() { r.RetryEnded(a.segment, time.Now()) }()
	return a.runIsolated(ctx, d, d.isolatedSlots)
}

// runByTreatment runs a segment in a process of its own because of incidents of the
// segment, its stream or its sender. Senders with incidents never take the slots that
// others need for retries and new streams. Their streams without good segments run one at
// a time per sender.
func (a *segmentAttempts) runByTreatment(
	ctx context.Context, d *poolDevice, how incidents.Treatment,
) (*core.TranscodeResult, error) {
	switch how {
	case incidents.Isolated:
		return a.runIsolated(ctx, d, d.isolatedSlots)
	case incidents.Unverified:
		return a.runIsolated(ctx, d, d.unverifiedSlots)
	case incidents.Flagged:
		return a.runIsolated(ctx, d, d.flaggedSlots)
	}
	leave, err := a.p.senderTurns.enter(ctx, a.job.Party)
	if err != nil {
		return nil, err
	}
	defer leave()
	return a.runIsolated(ctx, d, d.perSenderSlots)
}

// runIsolated runs the segment in a process of its own as soon as one of slots is free.
func (a *segmentAttempts) runIsolated(
	ctx context.Context, d *poolDevice, slots chan struct{},
) (*core.TranscodeResult, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, notStarted(ctx)
	}
	if err := d.beginSegment(ctx, a.unverified); err != nil {
		return nil, err
	}
	defer d.endSegment(a.unverified)
	sub, cancel := context.WithTimeout(ctx, min(segmentLimit(ctx, a.job).time, a.isolationLimit()))
	defer cancel()
	e, err := d.engine.(isolator).Alone(sub)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	stop := a.p.measureWork(d)
	res, err := e.Transcode(sub, a.job)
	work := stop()
	late := sub.Err() != nil && ctx.Err() != context.Canceled
	if err == nil {
		a.s.mu.Lock()
		a.s.recordGoodLocked()
		a.s.mu.Unlock()
		a.p.recordIsolatedSuccess(d, a.s)
		d.verdicts.worked(time.Now())
		a.p.incidents.Succeeded(a.segment, time.Now())
		d.setWorkerName(res)
		return res, nil
	}
	return nil, a.isolatedFailure(ctx, d, work, late, err)
}

// isolatedFailure assigns blame for a segment that failed in a worker of its own, and returns the
// caller's fault.
func (a *segmentAttempts) isolatedFailure(
	ctx context.Context, d *poolDevice, work workTime, late bool, err error,
) error {
	ended := workerDied(err)
	long := late && work.took >= a.isolationLimit()/4 || a.tookTooLong(ctx, work.took)
	blame := ended || d.mayBlame(a.s, work)
	if late {
		err = timeout(d, work.took, err)
		if !ended && !(blame && long) {
			err = overloaded(err) // also if most of the time went by in the queue
		}
	}
	switch {
	case (ended || long) && blame:
		if a.p.attributeBlame(d, a.s, a.segment, err) {
			err = segmentRefused(err)
		}
	case long:
		a.sharedLate(d, work, err)
	}
	return err
}

// unverifiedIsolationLimit bounds the time of an unverified segment in a worker of its
// own: the time allowed for a segment of ten seconds. The duration that its gateway states
// must not occupy these workers longer.
const unverifiedIsolationLimit = 40 * time.Second

// isolationLimit bounds the segment's time in a worker of its own.
func (a *segmentAttempts) isolationLimit() time.Duration {
	all := core.WorkDeadline(a.job.Duration)
	if a.unverified {
		return min(all, unverifiedIsolationLimit)
	}
	return all
}

// tookTooLong reports whether an attempt took so long that it counts whichever side gave
// up: the gateway's timeout and ours end within milliseconds, and a malicious gateway may
// leave a little earlier.
func (a *segmentAttempts) tookTooLong(ctx context.Context, took time.Duration) bool {
	return ctx.Err() != nil && took >= core.WorkDeadline(a.job.Duration)/2
}

// notStarted is the fault of a segment whose ctx ended while it waited for a worker of its
// own. It never started, so it is not reported as a timeout, for which gateways pay.
func notStarted(ctx context.Context) error {
	code := fault.CodeOf(ctx.Err())
	if code == fault.DeadlineExceeded {
		code = fault.TranscoderBusy
	}
	return fault.Wrap(code, "wait for a worker of its own", ctx.Err())
}

// segmentRefused is the fault of a segment that ended or blocked workers and is to blame:
// no other node should try it.
func segmentRefused(err error) error {
	f := fault.Wrap(fault.SegmentRefused, "transcode", err)
	f.Detail = "the segment ended or blocked its media worker"
	return f
}
