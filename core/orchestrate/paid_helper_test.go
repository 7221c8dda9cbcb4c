package orchestrate_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

// payer is the gateway that pays.
var payer = core.Address{19: 7}

// price is that of all work, ticket what one ticket brings, in wei.
var price = pm.Price{PerUnit: 100, PixelsPerUnit: 1}

const ticket = 1000

// sure is the win probability of tickets that are worth their face.
var sure = protocol.Word(bytes.Repeat([]byte{0xff}, 32))

// paying takes payments.
func paying() *coretest.Payments {
	return &coretest.Payments{
		Price: price, EV: core.NewWei(ticket), FaceValue: core.NewWei(ticket), WinProb: sure, Expires: 140,
		Models: map[inference.Model]pm.Price{llama: price},
	}
}

// paidNode is a node on the chain, and its books.
func paidNode(t *testing.T, change ...func(*orchestrate.Options)) (*node, *coretest.Payments) {
	t.Helper()
	pay := paying()
	n := newNode(t, append([]func(*orchestrate.Options){func(o *orchestrate.Options) {
		o.Payments, o.Signatures = pay, signatures{}
	}}, change...)...)
	t.Cleanup(func() {
		for _, v := range pay.Violations() {
			t.Error(v)
		}
	})
	return n, pay
}

// payment is one of so many tickets, each worth one ticket.
func payment(tickets int) pm.Payment {
	p := pm.Payment{Sender: payer, Expected: &price}
	if tickets > 0 {
		p.Params = &pm.Params{FaceValue: core.NewWei(ticket), WinProb: sure, ExpirationBlock: 140}
	}
	for i := range tickets {
		p.Tickets = append(p.Tickets, pm.Signed{Nonce: uint32(i + 1)})
	}
	return p
}

// payerToken is a fresh offer's, for transcoding.
func (n *node) payerToken() *orchestrate.Token {
	n.t.Helper()
	in, err := n.Offer(context.Background(), orchestrate.OfferRequest{Address: payer[:]})
	if err != nil {
		n.t.Fatal(err)
	}
	return &in.Token
}

// jobToken is a fresh offer's, for the llm.
func (n *node) jobToken(t *testing.T) *orchestrate.Token {
	t.Helper()
	in, err := n.Offer(context.Background(), orchestrate.OfferRequest{Address: payer[:], Wanted: wantsLlama(t)})
	if err != nil {
		t.Fatal(err)
	}
	return &in.Token
}

func paidRequest(tok *orchestrate.Token, tickets int) orchestrate.SegmentRequest {
	req := request(tok)
	req.Sender, req.Payment = payer, payment(tickets)
	return req
}

// admitPaid admits a segment that must be admitted.
func (n *node) admitPaid(tok *orchestrate.Token, tickets int) *orchestrate.Segment {
	n.t.Helper()
	seg, err := n.Admit(context.Background(), paidRequest(tok, tickets))
	if err != nil {
		n.t.Fatal(err)
	}
	return seg
}

// sendPaid is a whole segment that must succeed.
func (n *node) sendPaid(tok *orchestrate.Token) {
	n.t.Helper()
	seg := n.admitPaid(tok, 1)
	defer seg.Close()
	if _, err := seg.Transcode(context.Background(), []byte("segment")); err != nil {
		n.t.Fatal(err)
	}
}

// paidJob is a job with so many tickets.
func paidJob(t *testing.T, tok *orchestrate.Token, tickets int) orchestrate.JobRequest {
	t.Helper()
	req := jobRequest(t, tok)
	req.Credentials.Sender, req.Credentials.Payment = payer, payment(tickets)
	return req
}

// wantsLlama asks for the llm as gateways do, with units and a model.
func wantsLlama(t *testing.T) *capability.Capabilities {
	t.Helper()
	c := *jobRequest(t, nil).Credentials.Capabilities
	c.Capacities = map[capability.ID]uint32{capability.H264: 1, capability.LLM: 1}
	return &c
}
