package gateway

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/route"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// freshRefused is a refusal of terms that cannot be old: they were got for this attempt.
type freshRefused struct{ error }

// Unwrap is the refusal.
func (e freshRefused) Unwrap() error { return e.error }

// outcome is what an attempt says of its orchestrator. That terms are old is believed
// of those that may be, and then nobody is blamed; else what was paid with the segment is
// lost to one who takes payments and refuses work.
func (g *Gateway) outcome(l *lease, err error) route.Outcome {
	if _, fresh := errors.AsType[freshRefused](err); fresh {
		return route.NodeFailed
	}
	how, now := verdict(err), g.opt.Now()
	if how == route.Stale && !l.Offer.Expired(now) && !g.outdated.Believe(l.Offer.Identity(), l.Offer.Got, now) {
		return route.NodeFailed
	}
	return how
}

// verdict is what a failure's code says of the orchestrator.
func verdict(err error) route.Outcome {
	if err == nil {
		return route.Succeeded
	}
	if upstream.Unpaid(err) {
		if fault.CodeOf(err) == fault.PaidWorkMissing {
			return route.NodeFailed // no stream pays it
		}
		return route.StreamFailed // it has done nothing, but this stream cannot use it
	}
	switch fault.CodeOf(err) {
	case fault.SegmentNotTranscodable:
		return route.InputBad
	case fault.Canceled, fault.PushesFull:
		return route.Abandoned
	case fault.ExpiredAuthToken, fault.TicketParamsStale:
		return route.Stale
	case fault.OrchestratorBehind:
		return route.Behind
	case fault.OrchestratorUnreachable, fault.Draining:
		return route.NodeFailed
	case fault.OrchestratorBroke, fault.OrchestratorLate, fault.SegmentLate:
		return route.WorkFailed // the segment may be the cause
	case fault.ResultSignature:
		return route.Lied
	case fault.PixelsMismatch, fault.RenditionSize, fault.RenditionUnreadable:
		return route.WorkDoubted // that is seen in media which a client sent
	}
	if fault.ClassOf(err) == fault.Payment {
		return route.NodeFailed // what it does not take from one stream it does not take from others
	}
	return route.StreamFailed
}
