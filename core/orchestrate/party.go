package orchestrate

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/peer"
)

// party is held to account for a request: the account that signed it, off-chain the peer
// that it came from.
func (o *Orchestrator) party(req *SegmentRequest) string { return o.partyOf(req.Sender, req.From) }

// partyOf is the party of an account whose signature was checked, at an address.
func (o *Orchestrator) partyOf(account core.Address, from string) string {
	if o.opt.Signatures != nil {
		return account.String()
	}
	return peer.Name(from)
}

// source is a party at one peer. What happens to a body on its way is held against it:
// another peer that repeats a gateway's headers must not keep the gateway out.
func (o *Orchestrator) source(req *SegmentRequest) string {
	return o.party(req) + " at " + peer.Name(req.From)
}
