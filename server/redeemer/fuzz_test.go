package redeemer_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// FuzzTicket: whatever the message, reading it gives a fault or a ticket that is the
// same when it is sent on, so that it has the same hash everywhere.
func FuzzTicket(f *testing.F) {
	one := ticket(1)
	good, err := proto.Marshal(rpc.ToTicket(&one, 140))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte{})
	f.Add([]byte{0x0a, 0x00, 0x22, 0x00})
	f.Fuzz(func(t *testing.T, data []byte) {
		var m rpc.Ticket
		if proto.Unmarshal(data, &m) != nil {
			return
		}
		got, expires, err := rpc.FromTicket(&m)
		if err != nil {
			if fault.CodeOf(err) != fault.PaymentMessage {
				t.Fatalf("code %v", err)
			}
			return
		}
		again, at, err := rpc.FromTicket(rpc.ToTicket(&got, expires))
		if err != nil || at != expires || again.Hash() != got.Hash() || again.Signature != got.Signature ||
			again.RecipientRand != got.RecipientRand {
			t.Fatalf("sent on %+v at %d, read %+v at %d, %v", got, expires, again, at, err)
		}
	})
}
