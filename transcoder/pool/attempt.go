package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// runAttempts runs a segment and retries it on other devices while the failure may be the
// device's and the caller has time left. Without another device it retries once on the
// same one.
func (p *Pool) runAttempts(
	ctx context.Context, s *session, job *core.TranscodeJob, w *incidents.Segment,
) (*core.TranscodeResult, error) {
	a := &segmentAttempts{p: p, s: s, job: job, segment: w, began: time.Now()}
	how := p.incidents.TreatmentFor(a.segment, s.goodSegments(), a.began)
	if err := refusalFault(how); err != nil {
		return nil, err
	}
	a.unverified = p.incidents.Unverified(a.segment, s.goodSegments(), a.began)
	d, err := p.deviceFor(s, job)
	if err != nil {
		return nil, err
	}
	d = a.avoidHold(d)
	if how != incidents.Shared && d.isolates() {
		return a.runByTreatment(ctx, d, how)
	}
	for {
		begun := time.Now()
		res, err := a.attempt(ctx, d)
		if o, is := errors.AsType[treatmentChanged](err); is {
			if err := refusalFault(o.how); err != nil {
				return nil, err
			}
			return a.runByTreatment(ctx, d, o.how)
		}
		if err != nil {
			a.recordFailure(d, begun, err)
			if !expired(ctx) && len(a.failures) < maxAttempts && maybeSegmentFault(err) && d.isolates() {
				p.logRetry(job, d, err, len(a.failures))
				res, err = a.retryIsolated(ctx, d)
				return a.finish(ctx, d, res, err)
			}
		}
		var next *poolDevice
		if err != nil {
			next = a.nextDevice(ctx, d, err)
		}
		if next == nil {
			return a.finish(ctx, d, res, err)
		}
		if fault.CodeOf(err) == fault.UnrecoverableState {
			replace(d, fault.UnrecoverableState)
		}
		p.logRetry(job, d, err, len(a.failures))
		d = next
	}
}

// refusalFault is the fault of a segment that must not run, nil for others.
func refusalFault(how incidents.Treatment) error {
	switch how {
	case incidents.Refused:
		return fault.New(fault.SegmentRefused, "transcode", "it, or its stream, ended or blocked media workers before")
	case incidents.Waiting:
		return fault.New(fault.TranscoderBehind, "transcode", "earlier segments of its stream were not done in time")
	case incidents.Deferred:
		return fault.New(fault.SenderDeferred, "transcode", "")
	}
	return nil
}

// finish returns the result, or the fault for the caller.
func (a *segmentAttempts) finish(
	ctx context.Context, d *poolDevice, res *core.TranscodeResult, err error,
) (*core.TranscodeResult, error) {
	if err == nil {
		a.succeeded(d)
		return res, nil
	}
	return nil, a.failed(ctx, err)
}

// logRetry logs and counts a retry.
func (p *Pool) logRetry(job *core.TranscodeJob, d *poolDevice, err error, try int) {
	p.o.Recorder.SegmentRetried(job.Manifest, try+1)
	if others, ok := p.failures.Allow(job.Party, time.Now()); ok {
		p.o.Log.Info("trying a segment again", "session", string(job.Session), "segment", int64(job.Number),
			"device", d.label, "code", string(fault.CodeOf(err)), "others", others)
	}
}

func (d *poolDevice) attached() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.gone
}

// timeLimit bounds an attempt. A soft limit ends the attempt while there is time for
// another; exceeding a hard limit means that the worker hangs.
type timeLimit struct {
	time time.Duration
	soft bool
}

// dueBy returns when a segment must be done, with time left to deliver its result.
func dueBy(now time.Time, limit time.Duration) time.Time { return now.Add(limit * 7 / 8) }

// attempt runs a segment once on a device.
func (a *segmentAttempts) attempt(ctx context.Context, d *poolDevice) (*core.TranscodeResult, error) {
	p, job := a.p, a.job
	a.work = workTime{}
	if err := d.beginSegment(ctx, a.unverified); err != nil {
		return nil, err
	}
	defer d.endSegment(a.unverified)
	came := time.Now()
	t := newTicket(a.s, job, came, dueBy(came, segmentLimit(ctx, job).time))
	leave, err := d.queue.enter(ctx, t)
	if err != nil {
		if fault.CodeOf(err) == fault.TranscoderBehind {
			if t.showsOverload(came, job) {
				p.recordBehind(a.s, d, job)
			} else {
				p.recordUnused(a.s, d, job)
			}
		}
		return nil, err
	}
	start := time.Now()
	if how := a.treatmentNow(d, start); how != incidents.Shared {
		leave(0)
		return nil, treatmentChanged{how}
	}
	l := p.attemptLimit(ctx, d, a)
	sub, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	stop := p.measureWork(d)
	res, err := d.engine.Transcode(sub, job)
	wall := time.Since(start)
	a.work = stop()
	a.countPlay(came, plays(job, res, wall))
	if err == nil {
		inWork := leave(wall)
		p.measure(a.s, d, job, res, segmentTime{work: wall, all: time.Since(came), inWork: inWork})
		d.setWorkerName(res)
		return res, nil
	}
	leave(0)
	p.recordUnused(a.s, d, job)
	if !p.outOfTime(ctx, sub, d, job, l, err, wall) {
		return nil, err
	}
	p.recordLate(a.s, d, job, wall)
	if !l.soft && !ownFailure(err) {
		if d.isolates() && !d.mayBlame(a.s, a.work) {
			// A worker that does not end the segment, either, is replaced by its own supervisor.
			return nil, overloaded(timeout(d, wall, err))
		}
		replace(d, fault.TranscodeTimeout)
	}
	return nil, timeout(d, wall, err)
}

// treatmentChanged says that a segment must not run in the shared worker any more.
type treatmentChanged struct{ how incidents.Treatment }

func (treatmentChanged) Error() string { return "it must run in a worker of its own" }

// treatmentNow returns the treatment of a segment that gets its slot. For an unverified segment
// it may have changed since it was queued: earlier ones may have ended the worker.
func (a *segmentAttempts) treatmentNow(d *poolDevice, now time.Time) incidents.Treatment {
	if !a.unverified || !d.isolates() {
		return incidents.Shared
	}
	return a.p.incidents.TreatmentFor(a.segment, a.s.goodSegments(), now)
}

// outOfTime reports whether an attempt failed by its time limit. Otherwise the engine
// failed, the caller left, or the caller had too little time for the timeout to mean
// anything. A remote tutti transcoder reports its own timeout shortly before ours.
func (p *Pool) outOfTime(
	ctx, sub context.Context, d *poolDevice, job *core.TranscodeJob, l timeLimit, err error, wall time.Duration,
) bool {
	least := core.WorkDeadline(job.Duration) * 3 / 4
	if d.isRemote() {
		if fault.CodeOf(err) == fault.TranscodeTimeout {
			return true
		}
		least = core.WorkDeadline(job.Duration) / 4
	}
	return sub.Err() != nil && ctx.Err() != context.Canceled && (l.soft || wall >= least)
}

// setWorkerName names the device in the result, unless a remote transcoder has named the
// one of its own devices that did the work.
func (d *poolDevice) setWorkerName(res *core.TranscodeResult) {
	if res.Worker == "" || !d.isRemote() {
		res.Worker = d.name()
	}
}

// timeout is the fault of an attempt's time limit. It has a code of its own for a remote
// transcoder that does not answer, which is not its gateway's fault.
func timeout(d *poolDevice, wall time.Duration, err error) error {
	if ownFailure(err) {
		return err
	}
	code := fault.TranscodeTimeout
	if d.isRemote() {
		code = fault.RemoteWorkerTimeout
	}
	f := fault.Wrap(code, "transcode", err)
	f.Detail = fmt.Sprintf("not done after %v", wall.Round(time.Millisecond))
	return f
}

// ownFailure reports whether a device or worker named its own failure, of which the
// timeout is only a consequence.
func ownFailure(err error) bool {
	switch fault.CodeOf(err) {
	case fault.RemoteWorkerTimeout, fault.RemoteWorkerLost, fault.UnrecoverableState,
		fault.WorkerReplaced, fault.WorkerStartFailed, fault.WorkerQuarantined:
		return true
	}
	return workerDied(err)
}

// replace kills the engine's process, if it has one.
func replace(d *poolDevice, reason fault.Code) {
	if r, ok := d.engine.(replacer); ok {
		r.Replace(reason)
	}
}
