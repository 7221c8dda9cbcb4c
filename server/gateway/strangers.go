package gateway

import (
	"net/http"
	"net/netip"

	"github.com/tuttinode/tutti/server/admission"
)

// forOthers is the part of a bound, one in so many, that is added for addresses with less
// than their share.
const forOthers = 4

// shares bounds what unchecked clients have of something: one address as it would be bounded
// alone, and others besides.
func shares(limit int) *admission.Shares {
	return admission.NewShares(limit, limit+max(1, limit/forOthers))
}

// stranger is the address that an unchecked push counts for, the zero Prefix for others: where
// everyone may push, one address must not keep out those with a key, or other addresses. The
// own machine and the operator's known peers are none.
func (g *Gateway) stranger(r *http.Request, key string) netip.Prefix {
	if !g.opt.Access.Unchecked(key) {
		return netip.Prefix{}
	}
	from, unknown := admission.Unknown(r.Context())
	if !unknown {
		return netip.Prefix{}
	}
	return from
}
