package gateway

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// newTermsRefused is a refusal of terms that cannot be outdated: they were requested for this
// attempt.
type newTermsRefused struct{ error }

// Unwrap is the refusal.
func (e newTermsRefused) Unwrap() error { return e.error }

// outcome classifies an attempt. A report of outdated terms is believed for terms that may be
// outdated, and then the orchestrator is not blamed; otherwise it counts as a failure, because the
// payment is lost to an orchestrator that takes payments and refuses work.
func (g *Gateway) outcome(l *lease, err error) videorouting.Outcome {
	if _, fresh := errors.AsType[newTermsRefused](err); fresh {
		return videorouting.NodeFailed
	}
	how, now := outcomeOf(err), g.opt.Now()
	if how == videorouting.Stale && !l.Offer.Expired(now) && !g.outdated.Believe(l.Offer.Identity(), l.Offer.Got, now) {
		return videorouting.NodeFailed
	}
	return how
}

// outcomeOf classifies a failure by its code.
func outcomeOf(err error) videorouting.Outcome {
	if err == nil {
		return videorouting.Succeeded
	}
	if upstream.Unpaid(err) {
		if fault.CodeOf(err) == fault.PaidWorkMissing {
			return videorouting.NodeFailed // no stream will pay it
		}
		return videorouting.StreamFailed // the orchestrator did nothing wrong, but this stream cannot use it
	}
	switch fault.CodeOf(err) {
	case fault.SegmentNotTranscodable, fault.InputUnreadable:
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
		return videorouting.WorkMismatch // the client's media may be the cause
	}
	if fault.ClassOf(err) == fault.Payment {
		return videorouting.NodeFailed // a payment refused for one stream is refused for all
	}
	return videorouting.StreamFailed
}
