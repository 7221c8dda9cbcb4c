package gateway

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// freshRefused is a refusal of terms that cannot be old: they were got for this attempt.
type freshRefused struct{ error }

// Unwrap is the refusal.
func (e freshRefused) Unwrap() error { return e.error }

// outcome is what an attempt says of its orchestrator. That terms are old is believed
// of those that may be, and then nobody is blamed; else what was paid with the segment is
// lost to one who takes payments and refuses work.
func (g *Gateway) outcome(l *lease, err error) videorouting.Outcome {
	if _, fresh := errors.AsType[freshRefused](err); fresh {
		return videorouting.NodeFailed
	}
	how, now := verdict(err), g.opt.Now()
	if how == videorouting.Stale && !l.Offer.Expired(now) && !g.outdated.Believe(l.Offer.Identity(), l.Offer.Got, now) {
		return videorouting.NodeFailed
	}
	return how
}

// verdict is what a failure's code says of the orchestrator.
func verdict(err error) videorouting.Outcome {
	if err == nil {
		return videorouting.Succeeded
	}
	if upstream.Unpaid(err) {
		if fault.CodeOf(err) == fault.PaidWorkMissing {
			return videorouting.NodeFailed // no stream pays it
		}
		return videorouting.StreamFailed // it has done nothing, but this stream cannot use it
	}
	switch fault.CodeOf(err) {
	case fault.SegmentNotTranscodable:
		return videorouting.InputBad
	case fault.Canceled, fault.PushesFull:
		return videorouting.Abandoned
	case fault.ExpiredAuthToken, fault.TicketParamsStale:
		return videorouting.Stale
	case fault.OrchestratorBehind:
		return videorouting.Behind
	case fault.OrchestratorUnreachable, fault.Draining:
		return videorouting.NodeFailed
	case fault.OrchestratorBroke, fault.OrchestratorLate, fault.SegmentLate:
		return videorouting.WorkFailed // the segment may be the cause
	case fault.ResultSignature:
		return videorouting.Lied
	case fault.PixelsMismatch, fault.RenditionSize, fault.RenditionUnreadable:
		return videorouting.WorkDoubted // that is seen in media which a client sent
	}
	if fault.ClassOf(err) == fault.Payment {
		return videorouting.NodeFailed // what it does not take from one stream it does not take from others
	}
	return videorouting.StreamFailed
}
