package sender

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// How many tickets orchestrators accept under one set.
const (
	// NetworkNonces is what nodes of the existing network accept, less a margin: if answers are
	// lost, both sides may count differently.
	NetworkNonces = 550
	// OwnNonces is what tutti nodes accept.
	OwnNonces = pm.MaxNonce
)

// Terms are one orchestrator's terms of payment for some work. They are made once for many
// payments and may be used by several goroutines at once.
type Terms struct {
	// Peer is the orchestrator's service URI and Address its account: together they identify
	// the keeper of the balance.
	Peer    string
	Address core.Address
	// Owner is the orchestrator's identity as the gateway knows it by itself: the account on
	// the chain, or the address that was asked. Bounds apply per owner; "" derives it from Peer
	// and Address, which an orchestrator chooses.
	Owner string
	// Session is the auth token's. Stream is what the work belongs to, over all its
	// sessions; "" where it is not known, and for models. The first price of a stream,
	// a model, or a session without either bounds later ones.
	Session core.SessionID
	Stream  core.ManifestID
	// Payee is the gateway's choice, as it knows it by itself: the account that registered the
	// address that was asked, or that address. The credit belongs to it; "" is the tickets'
	// recipient. Push is the stream of a segment.
	Payee string
	Push  core.ManifestID
	// Client names the cause of the payment as this gateway knows it: a key, an address, a
	// stream. Losses caused by clients are bounded for each; "" takes Push or the model.
	Client string
	// Key is the account that the orchestrator bills.
	Key core.ManifestID
	// Pipeline and Model name the work in the book.
	Pipeline, Model string
	// Raw is the orchestrator's message, for a remote signer; nil without one.
	Raw []byte
	// Params are the ticket parameters; nil when there were none.
	Params *pm.Params
	Price  pm.Price
	// Confirms: the orchestrator may say that it credited tickets before it answers, see
	// Payment.Credited.
	Confirms bool
	// Nonces is how many tickets the orchestrator accepts under one set.
	Nonces int

	ev pm.Value
	// by is the owner of the terms, to the payee.
	by, to string
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
	if t.by = t.Owner; t.by == "" {
		t.by = t.Peer + " " + t.Address.String()
	}
	switch t.to = t.Payee; {
	case t.to != "":
	case t.Params != nil:
		t.to = t.Params.Recipient.String()
	default:
		t.to = t.by
	}
	return &t
}

// For returns the terms for a client's job.
func (t *Terms) For(client string) *Terms {
	if client == t.Client {
		return t
	}
	own := *t
	own.Client = client
	return &own
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

// owner returns the key of the bounds.
func (t *Terms) owner() string { return t.by }
