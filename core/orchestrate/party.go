package orchestrate

import "net/netip"

// siteBits is how much of an IPv6 address names a site: a single one has all of the
// rest to itself.
const siteBits = 64

// party is who is held to account for a request: the account that signed it, off-chain
// the address or, with IPv6, the network that it came from.
func (o *Orchestrator) party(req *SegmentRequest) string {
	if o.opt.Signatures != nil {
		return req.Sender.String()
	}
	addr, err := netip.ParseAddr(req.From)
	if err != nil {
		return req.From
	}
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		if site, err := addr.Prefix(siteBits); err == nil {
			return site.String()
		}
	}
	return addr.String()
}
