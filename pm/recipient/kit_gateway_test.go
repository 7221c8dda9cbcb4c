package recipient_test

import (
	"context"
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// gateway is the paying side.
type gateway struct {
	key  *ecdsa.PrivateKey
	addr core.Address
}

// gateway makes a funded one; the same number is the same gateway.
func (n *node) gateway(number byte) *gateway {
	g := newGateway(number)
	n.chain.fund(g.addr, ether(10), ether(10))
	return g
}

func newGateway(number byte) *gateway {
	key, err := crypto.ToECDSA(append(make([]byte, 31), number))
	if err != nil {
		panic(err)
	}
	return &gateway{key: key, addr: core.Address(crypto.PubkeyToAddress(key.PublicKey))}
}

// sign is one ticket.
func (g *gateway) sign(p *pm.Params, nonce uint32) pm.Signed {
	digest := pm.TicketDigest(p.TicketHash(g.addr, nonce))
	sig, err := crypto.Sign(digest[:], g.key)
	if err != nil {
		panic(err)
	}
	sig[64] += 27
	return pm.Signed{Nonce: nonce, Sig: sig}
}

// payment is one with tickets of the given nonces.
func (g *gateway) payment(p *pm.Params, price pm.Price, nonces ...uint32) pm.Payment {
	out := pm.Payment{Sender: g.addr, Expected: &price}
	if p == nil {
		return out
	}
	params := *p
	out.Params, out.Expiration, out.HasExpiration = &params, p.Expiration, true
	for _, n := range nonces {
		out.Tickets = append(out.Tickets, g.sign(p, n))
	}
	return out
}

// session is a gateway with a quote and parameters.
type session struct {
	n     *node
	g     *gateway
	key   core.ManifestID
	model *inference.Model
	quote pm.Quote
	terms *pm.Params
	next  uint32
}

func (n *node) session(g *gateway, key core.ManifestID, models ...inference.Model) *session {
	n.t.Helper()
	q, err := n.Quote(context.Background(), g.addr, models)
	if err != nil {
		n.t.Fatal(err)
	}
	s := &session{n: n, g: g, key: key, quote: q}
	if len(models) > 0 {
		s.model = &models[0]
	}
	s.refresh()
	return s
}

func (s *session) refresh() {
	s.n.t.Helper()
	var err error
	if s.terms, err = s.n.Terms(context.Background(), &s.quote); err != nil {
		s.n.t.Fatal(err)
	}
	s.next = 0
}

// job is one that is paid with so many new tickets.
func (s *session) job(tickets int, estimate int64) *pm.Job {
	nonces := make([]uint32, tickets)
	for i := range nonces {
		s.next++
		nonces[i] = s.next
	}
	return s.with(s.g.payment(s.terms, s.quote.Price, nonces...), estimate)
}

func (s *session) with(p pm.Payment, estimate int64) *pm.Job {
	return &pm.Job{Account: pm.Account{Sender: s.g.addr, Key: s.key}, Session: core.SessionID(s.key), Quote: s.quote,
		Payment: p, Model: s.model, Estimate: estimate, Verified: func() {}}
}
