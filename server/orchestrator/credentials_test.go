package orchestrator

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// What was read once is read again from memory, mistakes are not remembered, and
// strangers cannot fill the memory.
func TestCredentials(t *testing.T) {
	t.Parallel()
	var c credentials
	head := func(manifest string) http.Header {
		text, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Manifest: core.ManifestID(manifest)}))
		if err != nil {
			t.Fatal(err)
		}
		return http.Header{rpc.SegmentHeader: {text}}
	}
	if _, err := c.read(http.Header{rpc.SegmentHeader: {"!"}}); err == nil || len(c.known) != 0 {
		t.Errorf("a mistake: %v, %d known", err, len(c.known))
	}
	for range 2 {
		req, err := c.read(head("33_m"))
		if err != nil || req.Manifest != "33_m" || len(c.known) != 1 {
			t.Errorf("%+v, %v, %d known", req, err, len(c.known))
		}
	}
	if req, err := c.read(head(strings.Repeat("m", maxCredential))); err != nil || len(req.Manifest) != maxCredential ||
		len(c.known) != 1 {
		t.Errorf("a long one: %v, %d known", err, len(c.known))
	}
	for i := range 3 * maxCredentials {
		if _, err := c.read(head(strings.Repeat("m", i%1500+1) + string(rune('a'+i%26)))); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.known) > maxCredentials {
		t.Errorf("%d known", len(c.known))
	}
}

// TestCredentialsWithPayment: the payment is read each time and never remembered,
// and what is remembered is never changed by it.
func TestCredentialsWithPayment(t *testing.T) {
	t.Parallel()
	var c credentials
	segment, err := rpc.EncodeHeader(rpc.ToSegData(&rpc.SegmentMeta{Manifest: "33_m"}))
	if err != nil {
		t.Fatal(err)
	}
	with := func(m *rpc.Payment) http.Header {
		text, err := rpc.EncodeHeader(m)
		if err != nil {
			t.Fatal(err)
		}
		return http.Header{rpc.SegmentHeader: {segment}, rpc.PaymentHeader: {text}}
	}
	sender := core.Address{19: 7}
	price := &rpc.PriceInfo{PricePerUnit: 5, PixelsPerUnit: 1}
	for n := range 3 {
		m := &rpc.Payment{Sender: sender[:], ExpectedPrice: price}
		for i := range n {
			m.TicketSenderParams = append(m.TicketSenderParams, &rpc.TicketSenderParams{SenderNonce: uint32(i)})
		}
		req, err := c.read(with(m))
		if err != nil || req.Manifest != "33_m" || req.Sender != sender || len(req.Payment.Tickets) != n ||
			req.Payment.Expected == nil || req.PaymentErr != nil {
			t.Errorf("%+v, %v", req, err)
		}
	}
	if req, err := c.read(http.Header{rpc.SegmentHeader: {segment}}); err != nil || !req.Sender.IsZero() ||
		req.Payment.Tickets != nil || req.Payment.Expected != nil {
		t.Errorf("without payment: %+v, %v", req, err)
	}
	if len(c.known) != 1 {
		t.Errorf("%d known", len(c.known))
	}
	req, err := c.read(with(&rpc.Payment{Sender: sender[:19]}))
	if err != nil || req.PaymentErr == nil || !req.Sender.IsZero() {
		t.Errorf("a sender of 19 bytes: %+v, %v", req, err)
	}
	// The payment's mistake comes first, as the protocol has it.
	if _, err := c.read(http.Header{rpc.SegmentHeader: {"!"},
		rpc.PaymentHeader: {"!"}}); fault.CodeOf(err) != fault.PaymentEncoding {
		t.Error(err)
	}
}
