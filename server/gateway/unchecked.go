package gateway

import (
	"net/http"
	"net/netip"

	"github.com/tuttinode/tutti/server/admission"
)

// forOthers is the fraction of a limit (one in so many) that is added for addresses with less than
// their share.
const forOthers = 4

// shares bounds what unchecked clients hold: one address up to limit, and others a little more.
func shares(limit int) *admission.Shares {
	return admission.NewShares(limit, limit+max(1, limit/forOthers))
}

// party is what a client counts for where clients share capacity. The zero value is for those that are not bounded
// apart: this machine, and clients that the admission hook decides about.
type party struct {
	// from is the address of an unchecked client, the zero Prefix for others.
	from netip.Prefix
	// key identifies the API key that was used, "" for none.
	key string
}

// partyOf returns the party of a push with a key, "" for none.
func (g *Gateway) partyOf(r *http.Request, key string) party {
	return party{from: g.uncheckedAddress(r, key), key: key}
}

// uncheckedAddress returns the address that an unchecked push counts for, the zero Prefix for other
// pushes: if every client may push, one address must not displace clients with a key, or other
// addresses. This machine and the operator's known peers are not unchecked.
func (g *Gateway) uncheckedAddress(r *http.Request, key string) netip.Prefix {
	if !g.opt.Access.Unchecked(key) {
		return netip.Prefix{}
	}
	from, unknown := admission.Unknown(r.Context())
	if !unknown {
		return netip.Prefix{}
	}
	return from
}
