package videorouting

import "github.com/tuttinode/tutti/core"

// Identity is whom a failure is held against: nothing of it is the orchestrator's to
// choose. The address under which it takes work is, and would be another one after each
// failure. The zero value is nobody.
type Identity struct {
	// Asked is the address of the list at which it was asked for its offer.
	Asked string
	// Owner is who registered that address on the chain; zero off-chain, and where nobody
	// did.
	Owner core.Address
}

// key is one half of an identity.
type key struct {
	asked string
	owner core.Address
}

// keys are the halves that are known: the failures of one are the other's.
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

// Identity is the offer's. One that was asked nowhere is known by its own address.
func (o *Offer) Identity() Identity {
	return Identity{Asked: o.Place(), Owner: o.Registered}
}

// Place is what tells orchestrators apart within a stream.
func (o *Offer) Place() string {
	if o.Asked == "" {
		return o.URI
	}
	return o.Asked
}
