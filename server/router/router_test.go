package router_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/router"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// node is an orchestrator as gateways see one.
type node struct {
	rpc.UnimplementedOrchestratorServer
	srv    *httptest.Server
	uri    string
	refuse string
	offer  *rpc.Capabilities
	use    atomic.Value
	asked  atomic.Int64
	silent chan struct{}
	// late: it offers once silent is closed.
	late bool
	// terms: its offers have terms of payment, as on a chain.
	terms bool
}

func (n *node) GetOrchestrator(ctx context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	n.asked.Add(1)
	if n.silent != nil {
		select {
		case <-n.silent:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !n.late {
			return nil, ctx.Err()
		}
	}
	if n.refuse != "" {
		return nil, errors.New(n.refuse)
	}
	info := &rpc.OrchestratorInfo{Transcoder: n.uri, Address: req.GetAddress(), Capabilities: n.offer}
	if n.terms {
		info.TicketParams = &rpc.TicketParams{}
	}
	return info, nil
}

func newNode(t *testing.T, name string) *node {
	n := &node{uri: "https://" + name + ":8935"}
	n.use.Store("idle")
	g := grpc.NewServer()
	rpc.RegisterOrchestratorServer(g, n)
	n.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			g.ServeHTTP(w, r)
			return
		}
		fmt.Fprintf(w, `{"state":"serving","pipelines":[{"name":"transcoding","capacity":10,"use":%q}]}`, n.use.Load())
	}))
	n.srv.EnableHTTP2 = true
	n.srv.StartTLS()
	t.Cleanup(func() {
		g.Stop()
		n.srv.CloseClientConnections()
		n.srv.Close()
	})
	return n
}

func (n *node) addr() string { return n.srv.Listener.Addr().String() }

// start runs a router before the nodes and returns its client.
func start(t *testing.T, board *health.Board, backends ...string) (rpc.OrchestratorClient, *grpc.ClientConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tlscert.Open(tlscert.Options{Dir: t.TempDir(), Host: "127.0.0.1", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := router.New(router.Options{
		Listener: l, Backends: backends, Cert: cert, Version: "1.2.3", Board: board, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.Run(ctx, func() { close(ready) }) }()
	<-ready
	conn, err := grpc.NewClient("passthrough:///"+l.Addr().String(),
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return rpc.NewOrchestratorClient(conn), conn
}

func newBoard() *health.Board {
	return health.New(slog.New(slog.DiscardHandler), time.Now, nil)
}

func TestOffersSpreadOverEquals(t *testing.T) {
	t.Parallel()
	a, b := newNode(t, "a"), newNode(t, "b")
	client, _ := start(t, newBoard(), a.addr(), b.addr())
	got := map[string]int{}
	for range 20 {
		info, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{Address: make([]byte, 20)})
		if err != nil || len(info.GetAddress()) != 20 {
			t.Fatalf("%v, %v", info, err)
		}
		got[info.GetTranscoder()]++
	}
	if got[a.uri] != 10 || got[b.uri] != 10 {
		t.Errorf("offers went %v", got)
	}
}

func TestTheBusyAreSpared(t *testing.T) {
	t.Parallel()
	a, b := newNode(t, "a"), newNode(t, "b")
	a.use.Store("high")
	client, _ := start(t, newBoard(), a.addr(), b.addr())
	// The status is read alongside the requests: until it is known both are alike.
	for last := ""; last != b.uri+b.uri+b.uri; {
		last = ""
		for range 3 {
			info, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
			if err != nil {
				t.Fatal(err)
			}
			last += info.GetTranscoder()
		}
	}
}

// An orchestrator that answers and lacks the requested model is not chosen while
// another has it, however busy.
func TestOffersMustServe(t *testing.T) {
	t.Parallel()
	with := func(models ...string) *rpc.Capabilities {
		c := capability.Offer(capability.Default().With(capability.LLM), "0.9.1")
		c.Constraints.PerCapability = map[capability.ID]capability.Models{capability.LLM: {}}
		for _, m := range models {
			c.Constraints.PerCapability[capability.LLM][m] = capability.Model{Warm: true}
		}
		return rpc.FromCapabilities(c)
	}
	video, other, right := newNode(t, "video"), newNode(t, "other"), newNode(t, "right")
	video.offer = rpc.FromCapabilities(capability.Offer(capability.Default(), "0.9.1"))
	other.offer, right.offer = with("b"), with("a", "b")
	right.use.Store("full")
	client, _ := start(t, newBoard(), video.addr(), other.addr(), right.addr())
	for range 5 {
		info, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{Capabilities: with("a")})
		if err != nil || info.GetTranscoder() != right.uri {
			t.Fatalf("%v, %v", info.GetTranscoder(), err)
		}
	}
	if info, err := client.GetOrchestrator(t.Context(),
		&rpc.OrchestratorRequest{Capabilities: with("nobody's")}); err != nil || info.GetTranscoder() == "" {
		t.Errorf("what no orchestrator has: %v, %v", info, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	full, inactive, silent := newNode(t, "full"), newNode(t, "inactive"), newNode(t, "silent")
	full.refuse = "Invalid orchestrator request: OrchestratorCapped"
	inactive.refuse = "Invalid orchestrator request: insufficient sender reserve"
	silent.silent = make(chan struct{})
	defer close(silent.silent)
	board := newBoard()
	client, _ := start(t, board, full.addr(), inactive.addr(), "127.0.0.1:1")
	_, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
	if err == nil || !strings.Contains(err.Error(), "OrchestratorCapped") {
		t.Errorf("all refuse: %v", err)
	}
	good := newNode(t, "good")
	client, conn := start(t, board, full.addr(), silent.addr(), good.addr())
	info, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
	if err != nil || info.GetTranscoder() != good.uri {
		t.Errorf("one answers: %v, %v", info, err)
	}
	if h, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil ||
		h.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", h, err)
	}
}

func TestOneThatIsGoneIsNamed(t *testing.T) {
	t.Parallel()
	board := newBoard()
	start(t, board, "127.0.0.1:1")
	for {
		for _, c := range board.Snapshot() {
			if c.Code == fault.OrchestratorUnreachable && c.About == "127.0.0.1:1" {
				return
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("never said")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
