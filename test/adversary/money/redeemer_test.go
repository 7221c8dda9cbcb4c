package money

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/test/harness"
)

// liar is a redeemer that takes every ticket, redeems none, and claims that every gateway
// has more money than there is.
type liar struct {
	rpc.UnimplementedTicketRedeemerServer
	stop func()

	mu    sync.Mutex
	calls int // guarded by mu
}

// newLiar listens with a certificate of its own.
func newLiar(t *testing.T, addr string) *liar {
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
	z := &liar{}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(cert.Config())))
	rpc.RegisterTicketRedeemerServer(server, z)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	z.stop = sync.OnceFunc(func() { server.Stop(); serving.Wait() })
	t.Cleanup(z.stop)
	return z
}

func (z *liar) called() {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.calls++
}

func (z *liar) count() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.calls
}

// QueueTicket takes a ticket and does nothing with it.
func (z *liar) QueueTicket(context.Context, *rpc.Ticket) (*rpc.QueueTicketRes, error) {
	z.called()
	return &rpc.QueueTicketRes{}, nil
}

// riches is more than all ether.
var riches = &rpc.MaxFloatUpdate{MaxFloat: ether(1_000_000_000_000).Bytes()}

// MaxFloat claims riches.
func (z *liar) MaxFloat(context.Context, *rpc.MaxFloatReq) (*rpc.MaxFloatUpdate, error) {
	z.called()
	return riches, nil
}

// MonitorMaxFloat claims riches.
func (z *liar) MonitorMaxFloat(_ *rpc.MaxFloatReq, stream grpc.ServerStreamingServer[rpc.MaxFloatUpdate]) error {
	z.called()
	if err := stream.Send(riches); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

// tickets are the node's winning tickets.
func (n *node) tickets() adminapi.Tickets {
	n.t.Helper()
	status, body := harness.Get(n.t, "http://"+n.admin+adminapi.PathTickets+"?limit=1000")
	var page adminapi.Tickets
	if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
		n.t.Fatalf("%d %v in %s", status, err, body)
	}
	return page
}

// only waits until all winning tickets are in one of some states, at least so many.
func (n *node) only(least int, states ...pm.TicketState) {
	n.t.Helper()
	n.Wait("all tickets to be "+string(states[0]), 40*time.Second, func() bool {
		page := n.tickets()
		found := 0
		for _, s := range states {
			found += page.Counts[string(s)]
		}
		return found >= least && found == len(page.Tickets)
	})
}

// wins pays until the node has so many tickets in a state.
func (p *payer) wins(least int, state pm.TicketState) {
	p.Helper()
	p.Wait("tickets that win", 40*time.Second, func() bool {
		info := p.offer(wants(capability.LLM))
		if status, text := p.ask(info, p.pay(info, 250), "Count.", 3); status != http.StatusOK {
			p.Logf("a payment: %d %.200s", status, text)
		}
		return p.tickets().Counts[string(state)] >= least
	})
}

// conditions is the text of the node's conditions.
func (n *node) conditions() string {
	n.t.Helper()
	_, body := harness.Get(n.t, "http://"+n.admin+"/api/v1/conditions")
	return string(body)
}

// TestRedeemerThatRedeemsNothing: a redeemer takes every ticket and does nothing. The node
// sees on the chain that they are not paid, names the redeemer while there is time, shows
// what was lost as lost, and redeems the rest itself when the operator says so.
func TestRedeemerThatRedeemsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	addr := harness.Address(t)
	newLiar(t, addr)
	p := w.newPayer(5)
	w.stop()
	w.start("-redeemerAddr", addr)
	p.wins(2, pm.TicketHanded)
	var payers adminapi.Payers
	_, body := harness.Get(t, "http://"+w.admin+adminapi.PathPayers)
	if err := json.Unmarshal(body, &payers); err != nil || len(payers.Gateways) == 0 {
		t.Errorf("payers: %v in %s", err, body)
	}
	for _, g := range payers.Gateways {
		if g.MaxFloat.Cmp(g.Deposit.Add(g.Reserve)) > 0 {
			t.Errorf("the redeemer's word makes a gateway's %s and %s wei carry %s", g.Deposit, g.Reserve, g.MaxFloat)
		}
	}
	if w.has("HandedUnpaid") {
		t.Error("the redeemer is named before it had time")
	}
	w.chain.AdvanceL1(2100) // half of two rounds
	w.Wait("the redeemer to be named", 20*time.Second, func() bool {
		text := w.conditions()
		return strings.Contains(text, `"HandedUnpaid"`) && strings.Contains(text, addr) &&
			strings.Contains(text, " wei")
	})
	_, err := w.chain.Control.NextRound(t.Context(), true)
	w.must(err)
	w.only(2, pm.TicketExpired)
	if !w.has("TicketsLost") || w.has("HandedUnpaid") {
		t.Errorf("the loss is not shown: %s", w.conditions())
	}
	lost := len(w.tickets().Tickets)
	p.wins(1, pm.TicketHanded)
	w.stop()
	w.start() // as the remedy says
	w.chain.AdvanceL1(50)
	w.Wait("the node to redeem them itself", 40*time.Second, func() bool {
		c := w.tickets().Counts
		paid := c[string(pm.TicketMined)] + c[string(pm.TicketFinal)]
		return paid >= 1 && paid+c[string(pm.TicketExpired)] == len(w.tickets().Tickets)
	})
	if n := w.tickets().Counts[string(pm.TicketExpired)]; n != lost {
		t.Errorf("%d tickets expired, %d were lost before", n, lost)
	}
}

// TestRedeemerOfAStranger: with -redeemerCA nothing goes to a program that took the
// redeemer's address. The real one gets all tickets when it is back, with a certificate
// that it renewed, and the node sees them paid.
func TestRedeemerOfAStranger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	w.stop()
	r := w.newNode("redeemer")
	r.args = append(r.args, "-redeemer", "-ethOrchAddr", w.account.String())
	r.start()
	cert := filepath.Join(r.dir, "cert.pem")
	pin := filepath.Join(w.TempDir(), "redeemer.pem")
	copyFile(t, cert, pin)
	w.start("-redeemerAddr", r.front, "-redeemerCA", pin)
	p.wins(1, pm.TicketHanded)

	r.Signal(syscall.SIGKILL)
	r.Exit(20 * time.Second)
	stranger := newLiar(t, r.front)
	p.wins(1, pm.TicketWon)
	w.Wait("the certificate to be refused", 30*time.Second,
		func() bool { return w.has("RedeemerUntrusted") && !w.has("RedeemerUnreachable") })
	if n := stranger.count(); n != 0 {
		t.Errorf("%d calls came to a program that shows another certificate", n)
	}
	stranger.stop()

	w.must(os.Remove(cert)) // so that it makes another
	r.start()
	w.only(2, pm.TicketHanded, pm.TicketMined, pm.TicketFinal) // the first may be paid before the second is handed in
	if old, err := os.ReadFile(pin); err != nil || string(old) == read(t, cert) {
		t.Errorf("the certificate is not a new one: %v", err)
	}
	w.chain.AdvanceL1(60)
	w.only(2, pm.TicketMined, pm.TicketFinal)
	for _, ticket := range w.tickets().Tickets {
		if ticket.Paid.Cmp(core.Wei{}) <= 0 {
			t.Errorf("the ticket %v is %s and paid %s wei", ticket.Hash, ticket.State, ticket.Paid)
		}
	}
	if w.has("RedeemerUntrusted") {
		t.Errorf("the redeemer is back: %s", w.conditions())
	}
	text, _ := harness.Output(t, filepath.Join(bin, "tutti"),
		append(append([]string{"doctor", "-all", "-only", "keys.redeemer"}, w.args...), "-redeemerAddr",
			"192.0.2.1")...)
	if !strings.Contains(text, "RedeemerUnpinned") || !strings.Contains(text, "192.0.2.1:8935") {
		t.Errorf("doctor does not name a redeemer on another machine that is not pinned:\n%s", text)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
