package orchestrate

import (
	"github.com/tuttinode/tutti/core"
)

// party is accountable for a request: the account that signed it, off-chain the peer's
// address.
func (o *Orchestrator) party(req *SegmentRequest) string { return o.partyOf(req.Sender, req.From) }

// partyOf returns the party of an account with a checked signature, at a network address.
func (o *Orchestrator) partyOf(account core.Address, from string) string {
	if o.opt.Signatures != nil {
		return account.String()
	}
	return core.PeerName(from)
}

// source returns a party at one peer's address. Bodies with a wrong hash count against it, not
// against the party: another peer that replays a gateway's headers must not lock it out.
func (o *Orchestrator) source(req *SegmentRequest) string {
	return o.party(req) + " at " + core.PeerName(req.From)
}
