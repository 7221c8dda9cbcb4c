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

// attempts runs a segment, and again, each time elsewhere, while what failed it may be
// the device and the caller has time. Where there is no other device it is tried once
// more on the same.
func (p *Pool) attempts(
	ctx context.Context, s *session, job *core.TranscodeJob, w *incidents.Work,
) (*core.TranscodeResult, error) {
	c := &course{p: p, s: s, job: job, work: w, began: time.Now()}
	how := p.incidents.Treat(c.work, s.good(), c.began)
	if err := refused(how); err != nil {
		return nil, err
	}
	c.doubtful = p.incidents.Doubtful(c.work, s.good(), c.began)
	d, err := p.device(s, job)
	if err != nil {
		return nil, err
	}
	d = c.unheld(d)
	if how != incidents.Shared && d.isolates() {
		return c.isolated(ctx, d, how)
	}
	for {
		begun := time.Now()
		res, err := c.attempt(ctx, d)
		if o, is := errors.AsType[otherwise](err); is {
			if err := refused(o.how); err != nil {
				return nil, err
			}
			return c.isolated(ctx, d, o.how)
		}
		if err != nil {
			c.note(d, begun, err)
			if !over(ctx) && len(c.failures) < maxAttempts && suspect(err) && d.isolates() {
				p.again(job, d, err, len(c.failures))
				res, err = c.retryApart(ctx, d)
				return c.end(ctx, d, res, err)
			}
		}
		var next *device
		if err != nil {
			next = c.next(ctx, d, err)
		}
		if next == nil {
			return c.end(ctx, d, res, err)
		}
		if fault.CodeOf(err) == fault.UnrecoverableState {
			replace(d, fault.UnrecoverableState)
		}
		p.again(job, d, err, len(c.failures))
		d = next
	}
}

// refused is the fault of a segment that is not to be run, nil for others.
func refused(how incidents.Treatment) error {
	switch how {
	case incidents.Refused:
		return fault.New(fault.SegmentRefused, "transcode", "it, or its stream, ended or blocked media workers before")
	case incidents.Deferred:
		return fault.New(fault.SenderDeferred, "transcode", "")
	}
	return nil
}

// end ends a course: with what a device made, or with what its caller is told.
func (c *course) end(ctx context.Context, d *device, res *core.TranscodeResult, err error) (*core.TranscodeResult, error) {
	if err == nil {
		c.done(d)
		return res, nil
	}
	return nil, c.failed(ctx, err)
}

// again tells that a segment is tried again.
func (p *Pool) again(job *core.TranscodeJob, d *device, err error, try int) {
	p.o.Recorder.SegmentRetried(job.Manifest, try+1)
	p.o.Log.Info("trying a segment again", "session", string(job.Session), "segment", int64(job.Number),
		"device", d.label, "code", string(fault.CodeOf(err)))
}

func (d *device) attached() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.gone
}

// limited is a time that an attempt may take. A soft one ends the attempt
// because there is still time for another; a hard one means that the worker
// hangs.
type limited struct {
	time time.Duration
	soft bool
}

// soon is until when a segment has to be done: its result has to travel as well.
func soon(now time.Time, limit time.Duration) time.Time { return now.Add(limit * 7 / 8) }

// attempt runs a segment once on a device.
func (c *course) attempt(ctx context.Context, d *device) (*core.TranscodeResult, error) {
	p, job := c.p, c.job
	if err := d.begin(ctx, c.doubtful); err != nil {
		return nil, err
	}
	defer d.end(c.doubtful)
	came := time.Now()
	t := ticketOf(c.s, job, came, soon(came, limit(ctx, job).time))
	leave, err := d.queue.enter(ctx, t)
	if err != nil {
		if fault.CodeOf(err) == fault.TranscoderBehind && t.tells(came, job) {
			p.noTime(c.s, d, job)
		}
		return nil, err
	}
	start := time.Now()
	if how := c.waited(d, start); how != incidents.Shared {
		leave(0)
		return nil, otherwise{how}
	}
	l := p.limitOf(ctx, d, c)
	sub, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	res, err := d.engine.Transcode(sub, job)
	wall := time.Since(start)
	c.paced(came, plays(job, res, wall))
	if err == nil {
		inWork := leave(wall)
		p.measure(c.s, d, job, res, took{work: wall, all: time.Since(came), inWork: inWork})
		d.sign(res)
		return res, nil
	}
	leave(0)
	if !p.outOfTime(ctx, sub, d, job, l, err, wall) {
		return nil, err
	}
	p.late(c.s, d, job, wall)
	if !l.soft && !owned(err) {
		replace(d, fault.TranscodeTimeout)
	}
	return nil, timeout(d, wall, err)
}

// otherwise says that a segment is to be run in another way than beside others.
type otherwise struct{ how incidents.Treatment }

func (otherwise) Error() string { return "it is to be run in a worker of its own" }

// waited says how a segment is run whose turn has come. Of one that nothing good is known
// of, more may be known now: those before it may have ended the worker.
func (c *course) waited(d *device, now time.Time) incidents.Treatment {
	if !c.doubtful || !d.isolates() {
		return incidents.Shared
	}
	return c.p.incidents.Treat(c.work, c.s.good(), now)
}

// outOfTime says whether an attempt failed because its time was over. It may be the
// engine's own failure as well, or the caller left, or came with so little time that
// its end says nothing. A transcoder of our own kind on another machine says itself
// that its time is over, a little before ours is.
func (p *Pool) outOfTime(ctx, sub context.Context, d *device, job *core.TranscodeJob, l limited, err error, wall time.Duration) bool {
	least := core.WorkDeadline(job.Duration) * 3 / 4
	if d.elsewhere() {
		if fault.CodeOf(err) == fault.TranscodeTimeout {
			return true
		}
		least = core.WorkDeadline(job.Duration) / 4
	}
	return sub.Err() != nil && ctx.Err() != context.Canceled && (l.soft || wall >= least)
}

// sign puts the device's name on a result that has none: a transcoder on another
// machine knows better which of its own devices it was.
func (d *device) sign(res *core.TranscodeResult) {
	if res.Worker == "" || !d.elsewhere() {
		res.Worker = d.name()
	}
}

// timeout names the end of an attempt's time by where it was spent: a transcoder on
// another machine that does not answer is nothing that its gateway did.
func timeout(d *device, wall time.Duration, err error) error {
	if owned(err) {
		return err
	}
	code := fault.TranscodeTimeout
	if d.elsewhere() {
		code = fault.RemoteWorkerTimeout
	}
	f := fault.Wrap(code, "transcode", err)
	f.Detail = fmt.Sprintf("not done after %v", wall.Round(time.Millisecond))
	return f
}

// owned says that a device or worker has named its own failure, which the end of the
// time is only a consequence of.
func owned(err error) bool {
	switch fault.CodeOf(err) {
	case fault.RemoteWorkerTimeout, fault.RemoteWorkerLost, fault.UnrecoverableState,
		fault.WorkerReplaced, fault.WorkerStartFailed, fault.WorkerQuarantined:
		return true
	}
	return deadly(err)
}

// replace kills the engine's process, where it has one.
func replace(d *device, reason fault.Code) {
	if r, ok := d.engine.(replacer); ok {
		r.Replace(reason)
	}
}
