package airouting

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// maxRemembered bounds the tracked owners, and the addresses of orchestrators that left the table.
const maxRemembered = 2 * maxCandidates

// departed is what was known of an orchestrator when it left the table.
type departed struct {
	health  health
	clients clients
	trust   trust
	fulls   int
	refused inference.Refusals
}

// newCandidateLocked makes the candidate of an offer under a service URI that is not in the table.
// A peer names its URI itself and may name ever new ones, so it inherits what was known of the
// address that was asked.
func (t *Table) newCandidateLocked(o Offer) *candidate {
	c := &candidate{offer: o, clients: make(clients), trust: newTrust()}
	if p, known := t.departed[o.Asked]; known {
		c.health, c.clients, c.fulls, c.refused = p.health, p.clients, p.fulls, p.refused.Clone()
		*c.trust = p.trust
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
	if c.health.failures == 0 && !c.health.resting && len(c.clients) == 0 && c.trust.clean() && !c.refused.Any() {
		delete(t.departed, asked)
		return
	}
	if _, there := t.departed[asked]; !there && len(t.departed) >= maxRemembered {
		for other := range t.departed { // any of them
			delete(t.departed, other)
			break
		}
	}
	p := departed{health: c.health, clients: c.clients, trust: *c.trust, fulls: c.fulls, refused: c.refused.Clone()}
	// Attempts in flight report to the old record.
	p.health.probing, p.trust.trying = false, false
	t.departed[asked] = p
}
