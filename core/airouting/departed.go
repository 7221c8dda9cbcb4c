package airouting

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// maxRemembered bounds the tracked owners, and the addresses of orchestrators that left the table.
const maxRemembered = 2 * maxCandidates

// departed is what was known of an orchestrator when it left the table.
type departed struct {
	// suspension and trust are shared with attempts in flight, which may still fail or lose a payment.
	suspension *suspension
	trust      *trust
	clients    clients
	fulls      int
	refused    inference.Refusals
}

// newCandidateLocked makes the candidate of an offer under a service URI that is not in the table.
// A peer names its URI itself and may name ever new ones, so it inherits what was known of the
// address that was asked.
func (t *Table) newCandidateLocked(o Offer) *candidate {
	c := &candidate{offer: o, at: endpointOf(o.URI), suspension: new(suspension), clients: make(clients),
		trust: newTrust()}
	if p, known := t.departed[o.Asked]; known {
		c.suspension, c.trust, c.clients, c.fulls, c.refused = p.suspension, p.trust, p.clients, p.fulls, p.refused.Clone()
		delete(t.departed, o.Asked)
	}
	t.shareTrustLocked(c)
	return c
}

// shareTrustLocked makes a candidate share the trust of its owner with all candidates of that
// owner.
func (t *Table) shareTrustLocked(c *candidate) {
	owner := c.offer.Owner
	if owner == (core.Address{}) || !c.offer.Registered {
		return
	}
	if t.owners[owner] == nil {
		if len(t.owners) >= maxRemembered {
			t.forgetOwnerLocked()
		}
		t.owners[owner] = c.trust
	}
	c.trust = t.owners[owner]
}

// forgetOwnerLocked drops one owner, if possible one without losses.
func (t *Table) forgetOwnerLocked() {
	var last core.Address
	for owner, x := range t.owners {
		last = owner
		if x.clean() {
			break
		}
	}
	delete(t.owners, last)
}

// rememberLocked keeps what is known of a candidate that leaves the table, under the address that
// led to it.
func (t *Table) rememberLocked(c *candidate) {
	asked := c.offer.Asked
	if asked == "" {
		return
	}
	if c.idle() && c.suspension.failures == 0 && !c.suspension.resting && len(c.clients) == 0 && c.trust.clean() &&
		!c.refused.Any() {
		delete(t.departed, asked)
		return
	}
	if _, there := t.departed[asked]; !there && len(t.departed) >= maxRemembered {
		for other := range t.departed { // any of them
			delete(t.departed, other)
			break
		}
	}
	t.departed[asked] = departed{suspension: c.suspension, trust: c.trust, clients: c.clients, fulls: c.fulls,
		refused: c.refused.Clone()}
}
