package sender

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// How many tickets orchestrators take under one set of parameters.
const (
	// NetworkNonces is what nodes of the existing network take, less a margin: where
	// answers are lost, both sides may count differently.
	NetworkNonces = 550
	// OwnNonces is what nodes of our own kind take.
	OwnNonces = pm.MaxNonce
)

// Terms are what one orchestrator asks for some kind of work. They are made once for
// many payments and may be used by several goroutines at once.
type Terms struct {
	// Peer is the orchestrator's service URI and Address its account: together they
	// tell whose books the balance is in.
	Peer    string
	Address core.Address
	// Session is the auth token's; the first price of a session bounds later ones.
	Session core.SessionID
	// Key is the account that the orchestrator books the work on.
	Key core.ManifestID
	// Pipeline and Model name the work in the book.
	Pipeline, Model string
	// Params are the ticket parameters; nil when there were none.
	Params *pm.Params
	Price  pm.Price
	// Nonces is how many tickets the orchestrator takes under one set.
	Nonces int

	ev pm.Value
}

// NewTerms makes terms ready for use.
func NewTerms(t Terms) *Terms {
	if t.Params != nil {
		params := *t.Params
		t.Params, t.ev = &params, params.EV()
	}
	if t.Nonces <= 0 {
		t.Nonces = NetworkNonces
	}
	return &t
}

// setKey names a set of parameters. The recipient is part of it, so that one
// orchestrator cannot use up the numbers of another one's set.
type setKey struct {
	recipient core.Address
	hash      protocol.Hash
}

func (t *Terms) set() setKey { return setKey{t.Params.Recipient, t.Params.RecipientRandHash} }

// accountKey names a balance at an orchestrator.
type accountKey struct {
	peer    string
	address core.Address
	key     core.ManifestID
}

func (t *Terms) account() accountKey { return accountKey{t.Peer, t.Address, t.Key} }

// sessionKey names a session at an orchestrator.
type sessionKey struct {
	peer    string
	session core.SessionID
}
