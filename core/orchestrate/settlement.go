package orchestrate

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// settleFailed decides about the payment of a segment whose work failed with err after the
// time took. ctx is the one that governed the work.
//
// A gateway that disconnects, or whose segment takes longer than it waits, pays for the
// estimate: otherwise it could get work for free by disconnecting just before the end.
// Failures of a device, a worker or this node are never billed. Bad input is not billed but
// recorded; see unbilledWork. It is not even recorded if only a single remote transcoder
// reports it.
func (g *Segment) settleFailed(ctx context.Context, err error, took time.Duration) {
	o := g.o
	if !g.priced || o.cuttingOff() {
		return
	}
	switch {
	case isInterrupted(err) && ctx.Err() == context.Canceled,
		isInterrupted(err) && ctx.Err() == context.DeadlineExceeded && 2*took >= core.WorkDeadline(g.req.Duration):
		// How much was done is unknown.
		g.hold.Done(pm.Work{Units: g.estimate, Produced: 0})
	case isInterrupted(err) && ctx.Err() != nil, isBadInput(err) && !errors.Is(err, ErrUnconfirmed):
		// With less than half of the time, this node may have been late, or the gateway
		// may have uploaded slowly on purpose.
		o.unbilledWork.add(o.party(&g.req), took, o.opt.Now())
	}
}

// isInterrupted reports whether work ended because its context did. Devices, workers and
// remote transcoders that fail meanwhile have other codes.
func isInterrupted(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Canceled, fault.DeadlineExceeded, fault.TranscoderStopped, fault.TranscodeTimeout:
		return true
	}
	return false
}

// isBadInput reports whether the work failed because of the segment's content.
func isBadInput(err error) bool {
	return fault.ClassOf(err) == fault.BadRequest || fault.CodeOf(err) == fault.ZeroSegments
}

// priced reports whether work under a quote costs anything.
func (o *Orchestrator) priced(quote *pm.Quote) bool {
	return o.opt.Payments != nil && !quote.Price.Free()
}

// checkUnbilledWork refuses a party with too much unbilled work, and a source of bodies with
// wrong hashes.
func (o *Orchestrator) checkUnbilledWork(req *SegmentRequest, quote *pm.Quote) error {
	now := o.opt.Now()
	if !(o.priced(quote) && o.unbilledWork.overLimit(o.party(req), now)) &&
		!o.unbilledWork.overLimit(o.source(req), now) {
		return nil
	}
	o.opt.Recorder.SessionRefused(string(fault.InputKeepsFailing))
	return fault.New(fault.InputKeepsFailing, opAdmitSession, "")
}

// Cut announces that the node aborts the work in progress. Requests that are canceled from
// now on were not canceled by their gateways and are not billed.
func (o *Orchestrator) Cut() {
	o.markStopping()
	o.setPhase(refusing)
}

// cuttingOff reports whether requests may be canceled by the node itself.
func (o *Orchestrator) cuttingOff() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.phase == refusing
}

// checkCovered withholds work that is far more than what was paid: a gateway may announce a
// long segment as short. The estimate is billed, and the time counts as unbilled work.
func (g *Segment) checkCovered(encoded core.Pixels, took time.Duration, worker string) error {
	err := g.hold.Covers(int64(encoded))
	if err == nil {
		return nil
	}
	g.o.unbilledWork.add(g.o.party(&g.req), took, g.o.opt.Now())
	g.hold.Done(pm.Work{Units: g.estimate, Produced: int64(encoded), Worker: worker})
	return err
}
