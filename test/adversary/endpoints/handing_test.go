package endpoints

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
)

// taker is a redeemer that takes tickets, and hangs with those of one gateway.
type taker struct {
	rpc.UnimplementedTicketRedeemerServer
	hangs core.Address
}

// QueueTicket takes a ticket.
func (k *taker) QueueTicket(ctx context.Context, m *rpc.Ticket) (*rpc.QueueTicketRes, error) {
	if core.Address(m.GetSender()) == k.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &rpc.QueueTicketRes{}, nil
}

// start listens at an address until the test ends.
func (k *taker) start(t *testing.T, addr string) {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Host: "127.0.0.1", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(cert.Config())))
	rpc.RegisterTicketRedeemerServer(server, k)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
}

// TestAFalseRoundEndsNoWaitingWinner: the only endpoint shows a round far ahead while
// winning tickets wait for a redeemer that is away. They end for that, and come back and are
// handed over once the endpoint says the truth.
func TestAFalseRoundEndsNoWaitingWinner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	n := w.orchestrator(control.OrchestratorKey(0))
	redeemer := harness.Address(t)
	n.args = append(n.args, "-redeemerAddr", redeemer)
	all := w.winners(n.account, 3)
	n.owns(all)
	w.chain.SetFaults(0, control.Fault{Kind: control.FalseAnswer, Selector: currentRound, Data: word(9000)})
	n.start()
	n.Wait("the end of the tickets", 20*time.Second, func() bool { return n.states()[pm.TicketExpired] == len(all) })
	n.stop()
	w.chain.SetFaults(0)
	new(taker).start(t, redeemer)
	n.start() // the round is read again within minutes, and at once at a start
	n.Wait("the tickets to be handed over", 40*time.Second,
		func() bool { return n.states()[pm.TicketHanded] == len(all) })
}

// TestASlowRedeemerDelaysOneGateway: the redeemer does not answer about the tickets of one
// gateway, of which there are more than calls at once. The ticket of another is handed over
// within the time of one call.
func TestASlowRedeemerDelaysOneGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	n := w.orchestrator(control.OrchestratorKey(0))
	redeemer := harness.Address(t)
	n.args = append(n.args, "-redeemerAddr", redeemer)
	slow := w.winners(n.account, 20)
	w.gateway = w.chain.Key(2)
	n.owns(append(slow, w.winners(n.account, 1)...))
	(&taker{hangs: coretest.AddressOf(w.chain.Key(1))}).start(t, redeemer)
	n.start()
	n.Wait("the other gateway's ticket", 20*time.Second, func() bool { return n.states()[pm.TicketHanded] == 1 })
}
