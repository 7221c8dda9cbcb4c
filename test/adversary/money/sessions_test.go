package money

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
)

// TestOneGatewayHoldsNoOtherOut: a gateway with a short segment in each of -maxSessions
// sessions, which would keep them for a minute, leaves a session to another gateway that
// pays, and does not take it back while that one's stream runs.
func TestOneGatewayHoldsNoOtherOut(t *testing.T) {
	t.Parallel()
	const sessions, price = 4, 160 * 90 * 15 * pixelWei
	w := newWorld(t, "-maxSessions", "4")
	attacker, honest := w.newPayer(5), w.newPayer(6)
	honest.served(4) // the node has seen the round
	data := w.long(1)
	send := func(p *payer, info *rpc.OrchestratorInfo, number int64) (bool, string) {
		pixels, reason, err := p.segment(info, p.pay(info, tickets(info, 2*price)), number, data, time.Second)
		w.must(err)
		return pixels > 0, reason
	}
	var held []*rpc.OrchestratorInfo
	for range sessions {
		held = append(held, attacker.video())
	}
	for i, info := range held {
		if ok, reason := send(attacker, info, 0); !ok {
			t.Fatalf("session %d of the attacker: %q", i, reason)
		}
	}
	if offer, err := attacker.offerNow(transcoding()); err == nil {
		t.Errorf("the gateway that has all sessions is offered another one: %v", offer.GetAuthToken())
	}

	stream := honest.video()
	for number := range int64(4) {
		if ok, reason := send(honest, stream, number); !ok {
			t.Fatalf("segment %d of the other gateway: %q", number, reason)
		}
		kept := 0
		for _, info := range held {
			if ok, _ := send(attacker, info, 1+number); ok {
				kept++
			}
		}
		if kept != sessions-1 {
			t.Errorf("the first gateway goes on in %d sessions, want %d", kept, sessions-1)
		}
	}
}
