package money

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// newRedeemer starts a redeemer for the orchestrator's tickets.
func (w *world) newRedeemer(args ...string) *node {
	w.Helper()
	r := w.newNode("redeemer")
	r.args = append(append(r.args, "-redeemer", "-ethOrchAddr", w.account.String()), args...)
	r.start()
	return r
}

// from dials from one of the machine's loopback addresses.
func from(ip net.IP) *net.Dialer { return &net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}} }

// client calls a redeemer from an address.
func (n *node) client(ip net.IP) rpc.TicketRedeemerClient {
	n.t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+n.front,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return from(ip).DialContext(ctx, "tcp", addr)
		}))
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = conn.Close() })
	return rpc.NewTicketRedeemerClient(conn)
}

// float asks the redeemer once for what a made-up sender's funds carry.
func float(ctx context.Context, c rpc.TicketRedeemerClient) error {
	sender := make([]byte, 20)
	_, _ = rand.Read(sender)
	_, err := c.MaxFloat(ctx, &rpc.MaxFloatReq{Sender: sender})
	return err
}

// orchestrator is where the honest client of these tests calls from.
var orchestrator = net.IPv4(127, 0, 0, 1)

// TestIdleStrangersLeaveTheRedeemerToOrchestrators: strangers hold every connection that the
// redeemer may have, each from an address of its own. An orchestrator that is new is served.
func TestIdleStrangersLeaveTheRedeemerToOrchestrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const most = 64
	r := w.newRedeemer("-maxConnections", "64")
	for i := range most {
		d := tls.Dialer{NetDialer: from(net.IPv4(127, 0, 2, byte(1+i))),
			Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}}
		conn, err := d.DialContext(t.Context(), "tcp", r.front)
		w.must(err)
		t.Cleanup(func() { _ = conn.Close() })
	}
	c := r.client(orchestrator)
	r.Wait("an answer", 10*time.Second, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		return float(ctx, c) == nil
	})
}

// TestQuestionsOfStrangersDelayNoOrchestrator: a stranger asks thousands of questions, for
// each of which the redeemer reads from a slow chain endpoint. An orchestrator's question is
// answered within the time that it waits for.
func TestQuestionsOfStrangersDelayNoOrchestrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.newRedeemer()
	c := r.client(orchestrator)
	r.Wait("an answer", 20*time.Second, func() bool { return float(t.Context(), c) == nil })
	w.chain.SetFaults(0, control.Fault{Kind: control.Slow, Duration: control.Duration(time.Second),
		Methods: []string{"eth_call"}})
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	var answered atomic.Int64
	defer asking.Wait()
	defer cancel()
	for i := range 3 {
		stranger := r.client(net.IPv4(127, 0, 3, byte(1+i)))
		for range 1000 {
			asking.Go(func() {
				if float(ctx, stranger) == nil {
					answered.Add(1)
				}
			})
		}
	}
	r.Wait("the first answer to a stranger", 20*time.Second, func() bool { return answered.Load() > 0 })
	limited, end := context.WithTimeout(t.Context(), 8*time.Second)
	defer end()
	if err := float(limited, c); err != nil {
		t.Errorf("an orchestrator's question: %v", err)
	}
}

// TestTicketsOfNoRoundAreNotKept: a stranger signs winning tickets of rounds that the chain does
// not have, or with another hash. None is ever paid, so that any number of them is backed by
// the same deposit, and one of a round to come would stay in the books forever. The redeemer
// takes a ticket of the present round, and none of those but a few of the next one.
func TestTicketsOfNoRoundAreNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, p := w.newRedeemer(), w.newPayer(5)
	c := r.client(orchestrator)
	e := p.offer(wants(capability.LLM)).GetTicketParams().GetExpirationParams()
	present := protocol.RoundState{LastInitialized: protocol.Round(e.GetCreationRound()),
		LastHash: protocol.Hash(e.GetCreationRoundBlockHash())}
	nonce := uint64(0)
	queue := func(c rpc.TicketRedeemerClient, round protocol.RoundState) error {
		nonce++
		one := coretest.Ticket(p.key, w.account, core.NewWei(1), nonce, round)
		_, err := c.QueueTicket(t.Context(), rpc.ToTicket(&one, 1))
		return err
	}
	r.Wait("a ticket to be taken", 20*time.Second, func() bool { return queue(c, present) == nil })
	stranger := r.client(net.IPv4(127, 0, 3, 1))
	taken := 0
	for i := range 50 {
		for _, round := range []protocol.RoundState{
			{LastInitialized: present.LastInitialized, LastHash: protocol.Hash{1, byte(i)}},
			{LastInitialized: present.LastInitialized + 1000, LastHash: protocol.Hash{1}},
			{LastInitialized: 1 << 50, LastHash: protocol.Hash{1}},
		} {
			if queue(stranger, round) == nil {
				taken++
			}
		}
	}
	if text := r.query(`SELECT count(*) FROM ledger_winner`); taken > 0 || text != "1" {
		t.Errorf("%d were taken, the books have %s tickets; %s", taken, text,
			r.query(`SELECT group_concat(DISTINCT state) FROM ledger_winner`))
	}
}
