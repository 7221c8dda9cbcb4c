package rpc_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// A header of empty tickets is refused before they are made; one that is full of real
// ones is not.
func TestTicketsAreCountedFirst(t *testing.T) {
	absurd := &rpc.Payment{}
	for range rpc.MaxTickets + 1 {
		absurd.TicketSenderParams = append(absurd.TicketSenderParams, &rpc.TicketSenderParams{})
	}
	header, err := rpc.EncodeHeader(absurd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rpc.DecodePayment(header); fault.CodeOf(err) != fault.PaymentMessage {
		t.Errorf("too many tickets: %v", err)
	}
	raw, _ := base64.StdEncoding.DecodeString(header)
	many := base64.StdEncoding.EncodeToString(bytes.Repeat(raw[:2], 190_000))
	if n := testing.AllocsPerRun(3, func() { _, _ = rpc.DecodePayment(many) }); n > 100 {
		t.Errorf("%v allocations for a header of nothing", n)
	}
	full := &rpc.Payment{}
	for i := range 4800 {
		full.TicketSenderParams = append(full.TicketSenderParams,
			&rpc.TicketSenderParams{SenderNonce: uint32(i), Sig: bytes.Repeat([]byte{1}, 65)})
	}
	if header, err = rpc.EncodeHeader(full); err != nil {
		t.Fatal(err)
	}
	if m, err := rpc.DecodePayment(header); err != nil || len(m.GetTicketSenderParams()) != 4800 {
		t.Errorf("a full header: %v", err)
	}
}
