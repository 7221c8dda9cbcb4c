package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// done judges, once a device has done the segment, those that had failed it before.
func (c *course) done(winner *device) {
	if len(c.failures) == 0 {
		return
	}
	for i := range c.failures {
		f := &c.failures[i]
		switch {
		case f.d == winner:
		case f.late():
			c.tardy(f)
		case f.remote && deadly(f.err):
			c.p.accuse(f.d, f.err)
		case contradicted(f.err):
			c.p.contradict(f.d, f.err)
		}
	}
	c.suspect()
}

// failed judges when no device did the segment, and returns what its caller is told.
func (c *course) failed(ctx context.Context, err error) error {
	c.overtime()
	c.blocked(ctx)
	harmful := c.harm(err)
	for i := range c.failures {
		switch f := &c.failures[i]; {
		case f.late() && c.count((*failure).late) == 1 && ctx.Err() != context.Canceled && !f.judged():
			c.tardy(f)
		case f.remote && deadly(f.err) && c.count((*failure).harmed) == 1:
			c.p.accuse(f.d, f.err)
		}
	}
	c.suspect()
	if cut := c.cutShort(ctx, err); cut != nil {
		err = cut
	}
	if err = c.opinion(ctx, err); harmful && fault.CodeOf(err) != fault.SegmentRefused {
		err = final(err)
	}
	return err
}

// tardy counts a device's silence against it. Where another one was silent over the
// same segment it is the segment that takes too long, and this is not called.
func (c *course) tardy(f *failure) {
	if f.fairly(c.job) {
		c.p.accuse(f.d, f.err)
	}
}

// overtime notes that the segment took longer than its time on more than one device.
func (c *course) overtime() {
	n := c.count(func(f *failure) bool { return f.late() && f.fairly(c.job) })
	if n < 2 {
		return
	}
	times := c.s.overtime()
	c.p.o.Log.Warn("a segment took longer than its time on two transcoders; more of them end its stream",
		"session", string(c.s.id), "transcoders", n, "times", times)
}

// harm remembers a segment that was the end of media workers on more than one machine,
// none of which is to blame then, and reports whether it is such a one.
func (c *course) harm(err error) bool {
	if c.count((*failure).harmed) < 2 {
		return false
	}
	n := c.p.incidents.Failed(c.work, time.Now())
	c.s.mu.Lock()
	c.s.clean = 0
	c.s.mu.Unlock()
	c.p.o.Log.Warn("a stream ends media workers on other machines; it is refused when it repeats",
		"session", string(c.s.id), "times", n, fault.Attr(err))
	return true
}

// cutShort is the end of a segment that transcoders on other machines sat on, nil where
// that is not what ended it. The gateway has ordered work that did not come about, and
// whether it or our deadline ended the wait is a matter of milliseconds: it is not to
// be taken for one that left.
func (c *course) cutShort(ctx context.Context, err error) error {
	took := time.Since(c.began)
	limit := core.WorkDeadline(c.job.Duration)
	last := &c.failures[len(c.failures)-1]
	earlier := false
	for i := range c.failures[:len(c.failures)-1] {
		earlier = earlier || c.failures[i].late()
	}
	var cut bool
	switch fault.CodeOf(err) {
	case fault.DeadlineExceeded, fault.TranscodeTimeout:
		cut = earlier || last.remote && took >= limit/2
	case fault.Canceled, fault.TranscoderStopped:
		cut = ctx.Err() != nil && (earlier || last.remote && took >= limit*3/4)
	}
	if !cut {
		return nil
	}
	f := fault.Wrap(fault.RemoteWorkerTimeout, "transcode", err)
	f.Detail = "not done after " + took.Round(time.Millisecond).String()
	return f
}

// opinion is the error of a segment that devices found at fault. It may be one device
// that is broken: what a transcoder on another machine says alone is marked as that,
// and its session looks for another place.
func (c *course) opinion(ctx context.Context, err error) error {
	blaming := c.devices((*failure).blames)
	if len(blaming) != 1 {
		return err
	}
	c.s.doubt()
	var f *failure
	for i := range c.failures {
		if c.failures[i].blames() {
			f = &c.failures[i]
			break
		}
	}
	if f.code() != fault.CodeOf(err) {
		// Another device had trouble of its own with it. Elsewhere it may fare better,
		// unless the time is over or it is our own device that said so.
		if f.remote && !over(ctx) {
			return err
		}
		err = f.err
	}
	if !f.remote {
		return err
	}
	return marked(err)
}

// marked is a fault whose cause says that one device alone found it so.
func marked(err error) error {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		return err
	}
	out := *f
	out.Err = orchestrate.ErrOneOpinion
	if f.Err != nil {
		out.Err = fmt.Errorf("%w: %w", orchestrate.ErrOneOpinion, f.Err)
	}
	return &out
}

// contradict notes that a device failed a segment that another one did.
func (p *Pool) contradict(d *device, err error) {
	if !worthRetry(err) {
		p.hit(d)
	}
	p.accuse(d, err)
}

// doubt has a session look for another place at its next segment.
func (s *session) doubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubted = true
}
