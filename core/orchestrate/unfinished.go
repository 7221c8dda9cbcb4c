package orchestrate

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// settle says what becomes of the money of a segment whose work was begun and came to
// err after it took so long. ctx is the one that governed the work.
//
// A gateway that leaves, or whose segment takes longer than it would wait, pays for
// what it ordered: else it could have all its work for nothing by leaving just before
// the end. What a device, a worker or this node did not manage is never billed. Input
// that turns out to be bad is not billed, but remembered; see waste. Where only a
// single transcoder on another machine says so it is not even that.
func (g *Segment) settle(ctx context.Context, err error, took time.Duration) {
	o := g.o
	if !g.priced || o.cutting() {
		return
	}
	switch {
	case interrupted(err) && ctx.Err() == context.Canceled,
		interrupted(err) && ctx.Err() == context.DeadlineExceeded && 2*took >= core.WorkDeadline(g.req.Duration):
		// Nobody knows how far it came.
		g.hold.Done(pm.Work{Units: g.estimate, Produced: 0})
	case interrupted(err) && ctx.Err() != nil, badInput(err) && !errors.Is(err, ErrOneOpinion):
		// With less than half of its time it may be we who were late, or an upload that
		// was slow on purpose.
		o.waste.spoil(o.party(&g.req), took, o.opt.Now())
	}
}

// interrupted reports whether work ended because its context did. A device or worker
// that fails has other words for it, also while its gateway leaves, and so has a
// transcoder on another machine that does not answer.
func interrupted(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Canceled, fault.DeadlineExceeded, fault.TranscoderStopped, fault.TranscodeTimeout:
		return true
	}
	return false
}

// badInput reports whether it was the segment that no work could come of.
func badInput(err error) bool {
	return fault.ClassOf(err) == fault.BadRequest || fault.CodeOf(err) == fault.ZeroSegments
}

// priced reports whether work under a quote costs anything.
func (o *Orchestrator) priced(quote *pm.Quote) bool {
	return o.opt.Payments != nil && !quote.Price.Free()
}

// patient refuses a party that has had too much work for nothing, and a source of bodies
// that were not what was signed, as if there was no room.
func (o *Orchestrator) patient(req *SegmentRequest, quote *pm.Quote) error {
	now := o.opt.Now()
	if !(o.priced(quote) && o.waste.tooMuch(o.party(req), now)) && !o.waste.tooMuch(o.source(req), now) {
		return nil
	}
	o.opt.Recorder.SessionRefused(string(fault.InputKeepsFailing))
	return fault.New(fault.InputKeepsFailing, opAdmitSession, "")
}

// Cut says that the node itself is about to cut off what is still in hand: gateways
// that seem to leave from now on did not, and are not billed for it.
func (o *Orchestrator) Cut() {
	o.stops()
	o.setPhase(refusing)
}

// cutting reports whether requests may end because the node does.
func (o *Orchestrator) cutting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.phase == refusing
}
