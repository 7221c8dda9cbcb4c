package orchestrator_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

// account signs with a key in memory, as a keystore's does.
type account struct{ key *ecdsa.PrivateKey }

func (a account) Address() core.Address {
	return core.Address(crypto.PubkeyToAddress(a.key.PublicKey))
}
func (a account) SignMessage(m signature.Message) ([]byte, error) {
	return signature.EthSign(a.key, m.Bytes())
}

// sign signs as nodes do.
func (a account) sign(t testing.TB, m []byte) []byte {
	t.Helper()
	sig, err := signature.NodeSign(a.key, m)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// accountOf is the account whose key is 32 equal bytes, as in the vectors: 1 is
// the gateway's, 2 the orchestrator's.
func accountOf(t testing.TB, b byte) account {
	t.Helper()
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return account{key}
}

const (
	// value is what a ticket brings, expires the block in terms, height the latest.
	value   = 1_000_000
	expires = protocol.L1Block(140)
	height  = protocol.L1Block(100)
)

// always is the win probability of tickets that are worth their face.
var always = protocol.Word(bytes.Repeat([]byte{0xff}, 32))

var segmentPrice, tokenPrice = pm.Price{PerUnit: 6, PixelsPerUnit: 5}, pm.Price{PerUnit: 1234, PixelsPerUnit: 10}

// chainNode is a node on the chain, its books, and a gateway with an account.
type chainNode struct {
	*aiNode
	pay     *coretest.Payments
	gateway account
	self    account
}

func newChainNode(t testing.TB, change ...func(*setup)) *chainNode {
	t.Helper()
	c := &chainNode{gateway: accountOf(t, 1), self: accountOf(t, 2)}
	c.pay = &coretest.Payments{
		Price: segmentPrice, Models: map[inference.Model]pm.Price{llama: tokenPrice},
		EV: core.NewWei(value), FaceValue: core.NewWei(value), WinProb: always, Expires: expires,
		Recipient: core.Address{19: 0xaa},
	}
	c.aiNode = newAINode(t, append([]func(*setup){func(s *setup) {
		s.rules.Payments, s.rules.Signatures = c.pay, orchestrate.NewKeySignatures(c.self)
		s.rules.L1Block = func() protocol.L1Block { return height }
	}}, change...)...)
	t.Cleanup(func() {
		c.stop()
		for _, v := range c.pay.Violations() {
			t.Error(v)
		}
	})
	return c
}

// ask is a signed request for an offer.
func (c *chainNode) ask(wanted *rpc.Capabilities) *rpc.OrchestratorRequest {
	address := c.gateway.Address()
	return &rpc.OrchestratorRequest{
		Address: address[:], Sig: c.gateway.sign(c.t, signature.Request(crypto.PubkeyToAddress(c.gateway.key.PublicKey))),
		Capabilities: wanted,
	}
}

func (c *chainNode) terms(wanted *rpc.Capabilities) *rpc.OrchestratorInfo {
	c.t.Helper()
	in, err := c.rpc.GetOrchestrator(context.Background(), c.ask(wanted))
	if err != nil {
		c.t.Fatal(err)
	}
	return in
}

// payment is the header of a payment of so many tickets under an offer.
func (c *chainNode) payment(in *rpc.OrchestratorInfo, tickets int, change ...func(*rpc.Payment)) string {
	c.t.Helper()
	p := pm.Payment{Sender: c.gateway.Address()}
	if price, ok := rpc.FromPriceInfo(in.GetPriceInfo()); ok {
		p.Expected = &price
	}
	if tickets > 0 {
		params, err := rpc.FromTicketParams(in.GetTicketParams())
		if err != nil {
			c.t.Fatal(err)
		}
		p.Params, p.HasExpiration, p.Expiration = &params, true, params.Expiration
	}
	for i := range tickets {
		p.Tickets = append(p.Tickets, pm.Signed{Nonce: uint32(i + 1), Sig: make([]byte, 65)})
	}
	m := rpc.ToPayment(&p)
	for _, f := range change {
		f(m)
	}
	header, err := rpc.EncodeHeader(m)
	if err != nil {
		c.t.Fatal(err)
	}
	return header
}

// segment is a signed and paid segment's request.
func (c *chainNode) segment(in *rpc.OrchestratorInfo, tickets int, change ...func(*rpc.SegmentMeta)) *http.Request {
	c.t.Helper()
	body := []byte("segment")
	m := meta(in.GetAuthToken(), body)
	m.Sig = c.gateway.sign(c.t, signature.Segment(m.Manifest, m.Number, m.Hash, signature.ProfileNames(m.Profiles)))
	for _, f := range change {
		f(m)
	}
	req := c.post(m, bytes.NewReader(body))
	req.Header.Set("Livepeer-Payment", c.payment(in, tickets))
	return req
}

// llm is a signed and paid job of so many tokens.
func (c *chainNode) llm(in *rpc.OrchestratorInfo, tickets int, body string) *http.Request {
	c.t.Helper()
	m := c.credentials(llama, in.GetAuthToken())
	m.Sig = c.gateway.sign(c.t, signature.Segment(llama.Manifest(), 0, signature.Keccak256(nil), nil))
	req, err := http.NewRequest(http.MethodPost, c.uri+"/llm", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", b64(m))
	req.Header.Set("Livepeer-Payment", c.payment(in, tickets))
	req.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	req.Header.Set("Content-Type", "application/json")
	return req
}

// wantsLlama asks for the llm as gateways of the existing network do.
func wantsLlama() *rpc.Capabilities { return rpc.FromCapabilities(wanted(llama)) }
