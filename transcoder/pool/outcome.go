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

// succeeded blames, once a device has done the segment, the devices that failed it before.
func (a *segmentAttempts) succeeded(winner *poolDevice) {
	if len(a.failures) == 0 {
		return
	}
	for i := range a.failures {
		f := &a.failures[i]
		if f.remote && f.d != winner && f.verdict() {
			a.p.refuted(f.d, false)
		}
		switch {
		case f.d == winner:
		case f.timedOutThere(): // the winner may have had more time
		case f.unanswered():
			a.blameUnanswered(f)
		case f.remote && workerDied(f.err):
			a.p.blameDevice(f.d, f.err)
		case isContradictable(f.err):
			a.p.blameContradicted(f.d, f.err)
		}
	}
	a.recordLosses()
}

// failed assigns blame when no device did the segment, and returns the caller's fault.
func (a *segmentAttempts) failed(ctx context.Context, err error) error {
	a.recordOvertime()
	a.blameBlocking(ctx)
	harmful := a.recordHarm(err)
	a.avoidBlamers()
	for i := range a.failures {
		switch f := &a.failures[i]; {
		case f.unanswered() && a.countDevices((*failure).unanswered) == 1 && ctx.Err() != context.Canceled &&
			!f.timedOutThere():
			a.blameUnanswered(f)
		case f.remote && workerDied(f.err) && a.countDevices((*failure).workerEnded) == 1:
			a.p.blameDevice(f.d, f.err)
		}
	}
	a.recordLosses()
	if cut := a.unansweredFault(ctx, err); cut != nil {
		err = cut
	}
	if err = a.singleOpinion(ctx, err); harmful && fault.CodeOf(err) != fault.SegmentRefused {
		err = segmentRefused(err)
	}
	return err
}

// blameUnanswered blames a device for not answering. If two devices did not answer, the
// segment takes too long, and this is not called.
func (a *segmentAttempts) blameUnanswered(f *failure) {
	if f.hadFairTime(a.job) {
		a.p.blameDevice(f.d, f.err)
	}
}

// recordOvertime records a segment that exceeded its deadline on more than one device.
func (a *segmentAttempts) recordOvertime() {
	n := a.countDevices(func(f *failure) bool { return f.unanswered() && f.hadFairTime(a.job) })
	if n < 2 {
		return
	}
	times := a.s.recordOvertime()
	a.p.o.Log.Warn("a segment exceeded its deadline on two transcoders; more of them end its stream",
		"session", string(a.s.id), "transcoders", n, "times", times)
}

// recordHarm records a segment that ended media workers on more than one machine, so that
// the segment is to blame, and reports whether it did.
func (a *segmentAttempts) recordHarm(err error) bool {
	if a.countDevices((*failure).workerEnded) < 2 {
		return false
	}
	n := a.p.incidents.Blame(a.segment, time.Now())
	for _, d := range a.devices((*failure).workerEnded) {
		d.verdicts.harmed(a.segment)
	}
	a.s.mu.Lock()
	a.s.goodRun = 0
	a.s.mu.Unlock()
	a.p.o.Log.Warn("a stream ends media workers on other machines; it is refused when it repeats",
		"session", string(a.s.id), "times", n, fault.Attr(err))
	return true
}

// unansweredFault is the fault of a segment that remote transcoders left unanswered, nil
// when another cause ended it. The gateway's timeout and our deadline end within
// milliseconds, so this is not reported as a gateway that left.
func (a *segmentAttempts) unansweredFault(ctx context.Context, err error) error {
	took := time.Since(a.began)
	limit := core.WorkDeadline(a.job.Duration)
	last := &a.failures[len(a.failures)-1]
	earlier := false
	for i := range a.failures[:len(a.failures)-1] {
		earlier = earlier || a.failures[i].unanswered()
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

// singleOpinion is the error of a segment that devices blamed. A single device may be
// broken: the blame of a single remote transcoder is marked, and the session moves to
// another device.
func (a *segmentAttempts) singleOpinion(ctx context.Context, err error) error {
	blaming := a.devices((*failure).blamesSegment)
	if len(blaming) != 1 {
		return err
	}
	a.s.seekOtherDevice()
	var f *failure
	for i := range a.failures {
		if a.failures[i].blamesSegment() {
			f = &a.failures[i]
			break
		}
	}
	if f.code() != fault.CodeOf(err) {
		// Another device failed for a reason of its own, so a retry elsewhere may succeed,
		// unless the time is over or a local device blamed the segment.
		if f.remote && !expired(ctx) {
			return err
		}
		err = f.err
	}
	if !f.remote {
		return err
	}
	return markOneOpinion(err)
}

// markOneOpinion adds orchestrate.ErrOneOpinion to a fault's cause.
func markOneOpinion(err error) error {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		return err
	}
	out := *f
	out.Err = orchestrate.ErrUnconfirmed
	if f.Err != nil {
		out.Err = fmt.Errorf("%w: %w", orchestrate.ErrUnconfirmed, f.Err)
	}
	return &out
}

// blameContradicted blames a device for failing a segment that another one did.
func (p *Pool) blameContradicted(d *poolDevice, err error) {
	if !worthRetry(err) {
		p.penalize(d)
	}
	p.blameDevice(d, err)
}

// seekOtherDevice moves the session at its next segment.
func (s *session) seekOtherDevice() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seekOther = true
}
