package orchestrate

import "github.com/tuttinode/tutti/core/peer"

// party is held to account for a request: the account that signed it, off-chain the peer
// that it came from.
func (o *Orchestrator) party(req *SegmentRequest) string {
	if o.opt.Signatures != nil {
		return req.Sender.String()
	}
	return peer.Name(req.From)
}

// source is a party at one peer. What happens to a body on its way is held against it:
// another peer that repeats a gateway's headers must not keep the gateway out.
func (o *Orchestrator) source(req *SegmentRequest) string {
	return o.party(req) + " at " + peer.Name(req.From)
}
