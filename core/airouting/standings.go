package airouting

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// maxRemembered bounds what is remembered of owners, and of addresses that led to
// orchestrators which are not in the table any more.
const maxRemembered = 2 * maxCandidates

// past is what was known of an orchestrator when it left the table.
type past struct {
	health  health
	clients clients
	trust   trust
	fulls   int
	refused inference.Refusals
}

// newcomer makes the candidate of an offer under a service URI that is not in the
// table. A peer names its URI itself and may name ever new ones, so what was known of
// the address that was asked is its beginning.
func (t *Table) newcomer(o Offer) *candidate {
	c := &candidate{offer: o, clients: make(clients), trust: newTrust()}
	if p, known := t.left[o.Asked]; known {
		c.health, c.clients, c.fulls, c.refused = p.health, p.clients, p.fulls, p.refused.Clone()
		*c.trust = p.trust
		delete(t.left, o.Asked)
	}
	t.owned(c)
	return c
}

// owned makes a candidate share what is known of its owner, whoever else that has in
// the table, and whatever they call themselves.
func (t *Table) owned(c *candidate) {
	owner := c.offer.Owner
	if owner == (core.Address{}) || !c.offer.Registered {
		return
	}
	if t.owners[owner] == nil {
		if len(t.owners) >= maxRemembered {
			t.forgetOwner()
		}
		t.owners[owner] = c.trust
	}
	c.trust = t.owners[owner]
}

// forgetOwner makes room: one without a stain goes first.
func (t *Table) forgetOwner() {
	var last core.Address
	for owner, x := range t.owners {
		last = owner
		if x.clean() {
			break
		}
	}
	delete(t.owners, last)
}

// remember keeps what is known of a candidate that leaves the choice, under the
// address that led to it.
func (t *Table) remember(c *candidate) {
	asked := c.offer.Asked
	if asked == "" {
		return
	}
	if c.health.failures == 0 && !c.health.resting && len(c.clients) == 0 && c.trust.clean() && !c.refused.Any() {
		delete(t.left, asked)
		return
	}
	if _, there := t.left[asked]; !there && len(t.left) >= maxRemembered {
		for other := range t.left { // any of them
			delete(t.left, other)
			break
		}
	}
	p := past{health: c.health, clients: c.clients, trust: *c.trust, fulls: c.fulls, refused: c.refused.Clone()}
	// Attempts that are in flight end at the old one.
	p.health.probing, p.trust.trying = false, false
	t.left[asked] = p
}
