package videorouting

import "github.com/tuttinode/tutti/core"

// Identity is what failures are recorded against. The orchestrator chooses no part of it: the
// address under which it takes work is its own choice, and could change after each failure. The
// zero value is no orchestrator.
type Identity struct {
	// Asked is the listed address that was asked for the offer.
	Asked string
	// Owner is the account that registered that address on the chain; zero off-chain and without
	// one.
	Owner core.Address
}

// key is one half of an identity.
type key struct {
	asked string
	owner core.Address
}

// keys returns the known halves: a failure of one is also the other's.
func (i Identity) keys() []key {
	var out []key
	if i.Asked != "" {
		out = append(out, key{asked: i.Asked})
	}
	if !i.Owner.IsZero() {
		out = append(out, key{owner: i.Owner})
	}
	return out
}

// Identity returns the offer's identity. Without Asked it is the service URI.
func (o *Offer) Identity() Identity {
	return Identity{Asked: o.Key(), Owner: o.Registered}
}

// Key identifies the orchestrator within a stream.
func (o *Offer) Key() string {
	if o.Asked == "" {
		return o.URI
	}
	return o.Asked
}
