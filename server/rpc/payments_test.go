package rpc_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestPaymentInDomainWords(t *testing.T) {
	t.Parallel()
	var file paymentVectors
	readVectors(t, "tickets.json", &file)
	for _, v := range file.Tickets {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			var m rpc.Payment
			if err := proto.Unmarshal(v.Payment, &m); err != nil {
				t.Fatal(err)
			}
			p, err := rpc.FromPayment(&m)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(p.Sender[:], v.Sender) || len(p.Tickets) != 1 || p.Tickets[0].Nonce != v.Nonce ||
				!bytes.Equal(p.Tickets[0].Sig, v.Sig) ||
				p.Expected == nil || p.Expected.String() != v.Price || !bytes.Equal(p.Params.RecipientRandHash[:], v.Rand) ||
				!p.HasExpiration || p.Params.Expiration != p.Expiration {
				t.Errorf("read %+v", p)
			}
			checkBytes(t, rpc.ToPayment(&p), v.Payment)

			var offered rpc.TicketParams
			if err := proto.Unmarshal(v.Params, &offered); err != nil {
				t.Fatal(err)
			}
			params, err := rpc.FromTicketParams(&offered)
			if err != nil || params.TicketHash(p.Sender, 1) != p.Params.TicketHash(p.Sender, 1) {
				t.Errorf("params %+v, %v, want %+v", params, err, p.Params)
			}
			checkBytes(t, rpc.ToTicketParams(&params), v.Params)
		})
	}
}

func TestPaymentAbsent(t *testing.T) {
	t.Parallel()
	for _, m := range []*rpc.Payment{nil, {}} {
		p, err := rpc.FromPayment(m)
		if err != nil || p.Params != nil || p.HasExpiration || p.Expected != nil || p.Tickets != nil || !p.Sender.IsZero() {
			t.Errorf("%+v, %v", p, err)
		}
		if !proto.Equal(rpc.ToPayment(&p), &rpc.Payment{}) {
			t.Errorf("sent as %v", rpc.ToPayment(&p))
		}
	}
	if _, err := rpc.FromTicketParams(nil); fault.CodeOf(err) != fault.TicketParamsUnusable {
		t.Errorf("no parameters: %v", err)
	}
	// What is nil in a list of a message reads as empty.
	p, err := rpc.FromPayment(&rpc.Payment{TicketParams: &rpc.TicketParams{},
		TicketSenderParams: []*rpc.TicketSenderParams{nil}})
	if err != nil || len(p.Tickets) != 1 || !p.Params.Recipient.IsZero() || !p.Params.FaceValue.IsZero() {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestPaymentImpossible(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte{1}, 33)
	for want, m := range map[string]*rpc.Payment{
		"sender of 33 bytes":                {Sender: long},
		"creation_round is negative":        {ExpirationParams: &rpc.TicketExpirationParams{CreationRound: -1}},
		"creation_round_block_hash of 33":   {ExpirationParams: &rpc.TicketExpirationParams{CreationRoundBlockHash: long}},
		"recipient of 33 bytes":             {TicketParams: &rpc.TicketParams{Recipient: long}},
		"recipient_rand_hash of 33":         {TicketParams: &rpc.TicketParams{RecipientRandHash: long}},
		"face_value: amount of 33":          {TicketParams: &rpc.TicketParams{FaceValue: long}},
		"win_prob of 33 bytes, more":        {TicketParams: &rpc.TicketParams{WinProb: long}},
		"seed of 33 bytes, more":            {TicketParams: &rpc.TicketParams{Seed: long}},
		"expiration_block of 9 bytes, more": {TicketParams: &rpc.TicketParams{ExpirationBlock: long[:9]}},
		"creation_round_block_hash of 1 bytes": {TicketParams: &rpc.TicketParams{
			ExpirationParams: &rpc.TicketExpirationParams{CreationRoundBlockHash: long[:1]},
		}},
	} {
		_, err := rpc.FromPayment(m)
		if fault.CodeOf(err) != fault.PaymentMessage || !strings.HasPrefix(fault.Wire(err),
			"protobuf unmarshal error: "+want) {
			t.Errorf("%s: %v", want, err)
		}
		if m.TicketParams == nil {
			continue
		}
		if _, err := rpc.FromTicketParams(m.TicketParams); fault.CodeOf(err) != fault.TicketParamsUnusable {
			t.Errorf("%s, offered: %v", want, err)
		}
	}
}

// TestNumbersWithLeadingZeros: other nodes may write more bytes than a number needs.
func TestNumbersWithLeadingZeros(t *testing.T) {
	t.Parallel()
	padded := append(make([]byte, 40), 7)
	p, err := rpc.FromTicketParams(&rpc.TicketParams{FaceValue: padded, WinProb: padded, Seed: padded,
		ExpirationBlock: padded})
	if err != nil || p.FaceValue.String() != "7" || p.WinProb.Big().Int64() != 7 || p.Seed.Big().Int64() != 7 ||
		p.ExpirationBlock != 7 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestPriceInfo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m  *rpc.PriceInfo
		ok bool
	}{
		{nil, false}, {&rpc.PriceInfo{}, false}, {&rpc.PriceInfo{PricePerUnit: 5}, false},
		{&rpc.PriceInfo{PricePerUnit: 5, PixelsPerUnit: -1}, false},
		{&rpc.PriceInfo{PricePerUnit: -5, PixelsPerUnit: 1}, false}, {&rpc.PriceInfo{PixelsPerUnit: 1}, true},
		{&rpc.PriceInfo{PricePerUnit: 5, PixelsPerUnit: 3}, true},
	} {
		p, ok := rpc.FromPriceInfo(c.m)
		if ok != c.ok || ok && !proto.Equal(rpc.ToPriceInfo(p), c.m) {
			t.Errorf("%v: %+v, %t", c.m, p, ok)
		}
	}
	if m := rpc.ToPriceInfo(pm.Price{}); m.PixelsPerUnit != 1 {
		t.Errorf("free is %v", m)
	}
}

func TestTicketForRedeemer(t *testing.T) {
	t.Parallel()
	ticket := protocol.WinningTicket{
		Recipient: core.Address{1}, Sender: core.Address{2}, FaceValue: core.NewWei(1000), WinProb: protocol.Word{3},
		SenderNonce:       1<<32 - 1,
		RecipientRandHash: protocol.Hash{4}, CreationRound: 5, CreationRoundHash: protocol.Hash{6}, Signature: [65]byte{7},
		RecipientRand: protocol.Word{31: 8},
	}
	m := rpc.ToTicket(&ticket, 140)
	if len(m.GetTicketParams().GetSeed()) != 0 || !bytes.Equal(m.GetRecipientRand(), []byte{8}) {
		t.Errorf("sent as %v", m)
	}
	got, expires, err := rpc.FromTicket(m)
	if err != nil || expires != 140 {
		t.Fatalf("%d, %v", expires, err)
	}
	if got.FaceValue.Cmp(ticket.FaceValue) != 0 {
		t.Errorf("face value %s", got.FaceValue)
	}
	got.FaceValue = ticket.FaceValue
	if got != ticket {
		t.Errorf("read %+v, want %+v", got, ticket)
	}
	for name, spoil := range map[string]func(*rpc.Ticket){
		"nothing":   func(m *rpc.Ticket) { m.Reset() },
		"no params": func(m *rpc.Ticket) { m.TicketParams = nil },
		"short sig": func(m *rpc.Ticket) { m.SenderParams.Sig = m.SenderParams.Sig[:64] },
		"no sig":    func(m *rpc.Ticket) { m.SenderParams = nil },
		"long rand": func(m *rpc.Ticket) { m.RecipientRand = bytes.Repeat([]byte{1}, 33) },
		"sender":    func(m *rpc.Ticket) { m.Sender = m.Sender[:19] },
	} {
		bad := proto.CloneOf(m)
		spoil(bad)
		if _, _, err := rpc.FromTicket(bad); fault.CodeOf(err) != fault.PaymentMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzPaymentWords: whatever the message, reading it gives a fault or a payment that
// reads the same when it is sent on, and whose numbers are in range.
func FuzzPaymentWords(f *testing.F) {
	var file paymentVectors
	readVectors(f, "tickets.json", &file)
	for _, v := range file.Tickets {
		f.Add([]byte(v.Payment))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(rpc.Payment)
		if proto.Unmarshal(b, m) != nil {
			return
		}
		p, err := rpc.FromPayment(m)
		if err != nil {
			if fault.CodeOf(err) != fault.PaymentMessage {
				t.Fatalf("code %s", fault.CodeOf(err))
			}
			return
		}
		sent := rpc.ToPayment(&p)
		again, err := rpc.FromPayment(sent)
		if err != nil || !proto.Equal(rpc.ToPayment(&again), sent) {
			t.Fatalf("sent on %v, read %v, %v", sent, &again, err)
		}
		if p.Expected != nil && (p.Expected.PerUnit < 0 || p.Expected.PixelsPerUnit < 1) {
			t.Fatalf("price %+v", p.Expected)
		}
		// A stranger's payment gives a verdict, and no credit: this node did not issue these.
		c := pm.Checker{}
		if v := c.Tickets(&p, protocol.Word{1}, false, new(pm.Nonces)); len(v.Accepted) > 0 || len(v.Winners) > 0 {
			t.Fatalf("verdict %+v", v)
		}
	})
}

// FuzzTicketParams: whatever an orchestrator offers, it is unusable or reads the same
// when it is sent on, and a ticket's value is between 0 and its face value.
func FuzzTicketParams(f *testing.F) {
	var file paymentVectors
	readVectors(f, "tickets.json", &file)
	for _, v := range file.Tickets {
		f.Add([]byte(v.Params))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(rpc.TicketParams)
		if proto.Unmarshal(b, m) != nil {
			return
		}
		p, err := rpc.FromTicketParams(m)
		if err != nil {
			if fault.CodeOf(err) != fault.TicketParamsUnusable {
				t.Fatalf("code %s", fault.CodeOf(err))
			}
			return
		}
		sent := rpc.ToTicketParams(&p)
		again, err := rpc.FromTicketParams(sent)
		if err != nil || !proto.Equal(rpc.ToTicketParams(&again), sent) {
			t.Fatalf("sent on %v, read %v, %v", sent, &again, err)
		}
		if new(big.Int).SetBytes(m.GetFaceValue()).Cmp(p.FaceValue.Big()) != 0 {
			t.Fatalf("face value %s", p.FaceValue)
		}
		if ev := p.EV(); ev.Sign() < 0 || ev.Cmp(pm.WeiValue(p.FaceValue)) > 0 {
			t.Fatalf("expected value %s of %s", ev, p.FaceValue)
		}
	})
}
