package orchestrate

import (
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
)

// recordOffer counts the answer to a request for an offer. Missing capabilities count even
// with an offer: the gateway reads the offer's capabilities and chooses another node.
func (o *Orchestrator) noteOffer(address []byte, wanted *capability.Capabilities, in *Info, err error) {
	if o.opt.Demand == nil {
		return
	}
	q := requeststats.Question{Kind: requeststats.TranscodingOffer, Gateway: o.proven(address, err), Code: refused(err)}
	if o.opt.Worker != nil && wantsAI(wanted) || namesModels(wanted) {
		q.Kind = requeststats.AIOffer
	}
	if err == nil && wanted != nil {
		q.Missing = capability.Objection(wanted, &in.Capabilities)
	}
	if err == nil && in.Terms != nil {
		q.Quoted = &in.Terms.Quote.Price
	}
	o.opt.Demand.Note(q)
}

// recordRequest counts a segment or job, admitted or refused.
func (o *Orchestrator) note(kind requeststats.Kind, req *SegmentRequest, err error) {
	if o.opt.Demand == nil {
		return
	}
	q := requeststats.Question{Kind: kind, Code: refused(err), Expected: req.Payment.Expected}
	if o.opt.Signatures != nil && q.Code != fault.ErrSegSig {
		q.Gateway = req.Sender
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && q.Code == fault.IncompatibleCapabilities {
		q.Missing = f.Detail
	}
	o.opt.Demand.Note(q)
}

// provenSender is the account that signed a request for an offer; zero without a valid
// signature.
func (o *Orchestrator) proven(address []byte, err error) (a core.Address) {
	if o.opt.Signatures != nil && fault.CodeOf(err) != fault.RequestSignature {
		copy(a[:], address)
	}
	return a
}

// namesModels reports whether a request names models of anything.
func namesModels(wanted *capability.Capabilities) bool {
	return wanted != nil && len(wanted.Constraints.PerCapability) > 0
}

// refusalCode is the code of a refusal, "" for nil.
func refused(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}
