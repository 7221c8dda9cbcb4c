package rpc_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

type paymentVectors struct {
	Tickets []struct {
		Name    string
		Header  string   `json:"livepeer_payment_header"`
		Payment hexBytes `json:"payment_proto_hex"`
		Params  hexBytes `json:"orchestrator_info_ticket_params_proto_hex"`
		Sender  hexBytes
		Nonce   uint32   `json:"sender_nonce"`
		Sig     hexBytes `json:"signature"`
		Price   string
		Rand    hexBytes `json:"recipient_rand_hash"`
	}
}

// TestPaymentVectors checks the encoding of payments; what they mean is for the
// payments' own tests.
func TestPaymentVectors(t *testing.T) {
	t.Parallel()
	var file paymentVectors
	readVectors(t, "tickets.json", &file)
	if len(file.Tickets) != 5 {
		t.Fatalf("%d tickets", len(file.Tickets))
	}
	for _, v := range file.Tickets {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			m, err := rpc.DecodePayment(v.Header)
			if err != nil {
				t.Fatal(err)
			}
			checkBytes(t, m, v.Payment)
			if header, err := rpc.EncodeHeader(m); err != nil || header != v.Header {
				t.Errorf("header %s, %v", header, err)
			}
			senders := m.GetTicketSenderParams()
			if string(m.GetSender()) != string(v.Sender) || len(senders) != 1 || senders[0].GetSenderNonce() != v.Nonce ||
				string(senders[0].GetSig()) != string(v.Sig) {
				t.Errorf("read %v", m)
			}
			var params rpc.TicketParams
			if err := proto.Unmarshal(v.Params, &params); err != nil {
				t.Fatal(err)
			}
			checkBytes(t, &params, v.Params)
			if string(params.GetRecipientRandHash()) != string(v.Rand) {
				t.Errorf("rand hash %x", params.GetRecipientRandHash())
			}
		})
	}
}

func TestEmptyHeaders(t *testing.T) {
	t.Parallel()
	if m, err := rpc.DecodePayment(""); err != nil || !proto.Equal(m, &rpc.Payment{}) {
		t.Errorf("payment %v, %v", m, err)
	}
	if m, err := rpc.DecodeSegData(""); err != nil || !proto.Equal(m, &rpc.SegData{}) {
		t.Errorf("segment %v, %v", m, err)
	}
	if header, err := rpc.EncodeHeader(&rpc.Payment{}); err != nil || header != "" {
		t.Errorf("header %q, %v", header, err)
	}
}

func TestBadHeaders(t *testing.T) {
	t.Parallel()
	payment := func(h string) error { _, err := rpc.DecodePayment(h); return err }
	segment := func(h string) error { _, err := rpc.DecodeSegData(h); return err }
	for _, row := range []struct {
		name, header string
		decode       func(string) error
		code         fault.Code
		wire         string // the beginning of the wire text
	}{
		{"payment, no base64", "~", payment, fault.PaymentEncoding, "base64 decode error: illegal base64"},
		{"payment, URL alphabet", "_-8=", payment, fault.PaymentEncoding, "base64 decode error: "},
		{"payment, no padding", "CgE", payment, fault.PaymentEncoding, "base64 decode error: "},
		{"payment, no message", "CgE=", payment, fault.PaymentMessage, "protobuf unmarshal error: "},
		{"payment, huge", strings.Repeat("A", rpc.MaxHeaderBytes+4), payment, fault.PaymentEncoding,
			"base64 decode error: header of"},
		{"segment, no base64", "~", segment, fault.ErrorSegEncoding, "ErrorSegEncoding"},
		{"segment, no message", "CgE=", segment, fault.SegmentMessage, "protobuf unmarshal error"},
		{"segment, huge", strings.Repeat("A", rpc.MaxHeaderBytes+4), segment, fault.ErrorSegEncoding, "ErrorSegEncoding"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			err := row.decode(row.header)
			if fault.CodeOf(err) != row.code {
				t.Fatalf("got %v, want %s", err, row.code)
			}
			if got := fault.Wire(err); !strings.HasPrefix(got, row.wire) {
				t.Errorf("wire text %q, want %q", got, row.wire)
			}
		})
	}
}
