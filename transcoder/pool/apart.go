package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// replacer is an engine whose process can be killed and replaced, which helps
// against native code that hangs.
type replacer interface {
	Replace(reason fault.Code)
}

// isolator is an engine that can give a segment a process of its own, so that it
// takes no other segment along when it kills that.
type isolator interface {
	Alone(ctx context.Context) (transcoder.Engine, error)
}

func (d *device) isolates() bool { return d.alone != nil }

// retryApart runs a segment again whose worker ended, in a process of its own. Until
// that is done new streams of its sender keep away from others.
func (c *course) retryApart(ctx context.Context, d *device) (*core.TranscodeResult, error) {
	r := c.p.incidents
	r.Began(c.work, time.Now())
	defer func() { r.Ended(c.work, time.Now()) }()
	return c.apart(ctx, d, d.alone)
}

// isolated runs a segment in a process of its own because of what is remembered of it,
// its stream or its sender. What senders with incidents begin never takes the processes
// that others need for their retries and new streams; a stream of theirs that has shown
// nothing yet runs one at a time for each sender.
func (c *course) isolated(ctx context.Context, d *device, how incidents.Treatment) (*core.TranscodeResult, error) {
	switch how {
	case incidents.Isolated:
		return c.apart(ctx, d, d.alone)
	case incidents.Unproved:
		return c.apart(ctx, d, d.unproved)
	case incidents.Flagged:
		return c.apart(ctx, d, d.flagged)
	}
	leave, err := c.p.singles.enter(ctx, c.job.Party)
	if err != nil {
		return nil, err
	}
	defer leave()
	return c.apart(ctx, d, d.single)
}

// apart runs the segment in a process of its own, where it can harm no other, as soon
// as slots has room.
func (c *course) apart(ctx context.Context, d *device, slots chan struct{}) (*core.TranscodeResult, error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, neverBegun(ctx)
	}
	if err := d.begin(ctx, c.doubtful); err != nil {
		return nil, err
	}
	defer d.end(c.doubtful)
	sub, cancel := context.WithTimeout(ctx, min(limit(ctx, c.job).time, c.longest()))
	defer cancel()
	e, err := d.engine.(isolator).Alone(sub)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	start := time.Now()
	res, err := e.Transcode(sub, c.job)
	late := sub.Err() != nil && ctx.Err() != context.Canceled
	if err == nil {
		c.s.mu.Lock()
		c.s.acquit()
		c.s.mu.Unlock()
		c.p.proved(d, c.s)
		c.p.incidents.Done(c.work, time.Now())
		d.sign(res)
		return res, nil
	}
	took := time.Since(start)
	harm := deadly(err) || late && took >= c.longest()/4 || c.tooLong(ctx, took)
	if late {
		err = timeout(d, took, err)
	}
	if harm && c.p.attribute(d, c.s, c.work, err) {
		err = final(err)
	}
	return nil, err
}

// longestUnknown is how long a segment of which nothing good is known may have a worker of
// its own: as long as one of ten seconds may take. What its gateway announces must not keep
// those workers from others for as long as it likes.
const longestUnknown = 40 * time.Second

// longest is how long the segment may have a worker of its own.
func (c *course) longest() time.Duration {
	all := core.WorkDeadline(c.job.Duration)
	if c.doubtful {
		return min(all, longestUnknown)
	}
	return all
}

// tooLong says whether an attempt took so long that it is of no matter who gave up: a
// gateway's time and ours end within milliseconds, and one that means harm may leave a
// little earlier.
func (c *course) tooLong(ctx context.Context, took time.Duration) bool {
	return ctx.Err() != nil && took >= core.WorkDeadline(c.job.Duration)/2
}

// neverBegun is the end of a segment that waited for a worker of its own. It was never
// in work, so that is not told as the end of its time, for which gateways pay.
func neverBegun(ctx context.Context) error {
	code := fault.CodeOf(ctx.Err())
	if code == fault.DeadlineExceeded {
		code = fault.TranscoderBusy
	}
	return fault.Wrap(code, "wait for a worker of its own", ctx.Err())
}

// final is the fault of a segment that ended or blocked workers and is to blame for
// it: no other node shall try it.
func final(err error) error {
	f := fault.Wrap(fault.SegmentRefused, "transcode", err)
	f.Detail = "the segment ended or blocked its media worker"
	return f
}
