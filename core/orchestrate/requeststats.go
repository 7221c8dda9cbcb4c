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
func (o *Orchestrator) recordOffer(address []byte, wanted *capability.Capabilities, in *Info, err error) {
	if o.opt.RequestStats == nil {
		return
	}
	q := requeststats.Request{Kind: requeststats.TranscodingOffer, Gateway: o.provenSender(address, err),
		Code: refusalCode(err)}
	if o.opt.Worker != nil && wantsAI(wanted) || namesModels(wanted) {
		q.Kind = requeststats.AIOffer
	}
	if err == nil && wanted != nil {
		q.Missing = capability.Mismatch(wanted, &in.Capabilities)
	}
	if err == nil && in.Terms != nil {
		q.Quoted = &in.Terms.Quote.Price
	}
	o.opt.RequestStats.Record(q)
}

// recordRequest counts a segment or job, admitted or refused.
func (o *Orchestrator) recordRequest(kind requeststats.Kind, req *SegmentRequest, err error) {
	if o.opt.RequestStats == nil {
		return
	}
	q := requeststats.Request{Kind: kind, Code: refusalCode(err), Expected: req.Payment.Expected}
	if o.opt.Signatures != nil && q.Code != fault.ErrSegSig {
		q.Gateway = req.Sender
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok && q.Code == fault.IncompatibleCapabilities {
		q.Missing = f.Detail
	}
	o.opt.RequestStats.Record(q)
}

// provenSender returns the account that signed a request for an offer; zero without a valid
// signature.
func (o *Orchestrator) provenSender(address []byte, err error) (a core.Address) {
	if o.opt.Signatures != nil && fault.CodeOf(err) != fault.RequestSignature {
		copy(a[:], address)
	}
	return a
}

// namesModels reports whether a request names models of anything.
func namesModels(wanted *capability.Capabilities) bool {
	return wanted != nil && len(wanted.Constraints.PerCapability) > 0
}

// refusalCode returns the code of a refusal, "" for nil.
func refusalCode(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.CodeOf(err)
}
