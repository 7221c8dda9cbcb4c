package bounds

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
)

// routerOf starts a router before an orchestrator.
func routerOf(t *testing.T, orchestrators string, args ...string) *started {
	t.Helper()
	r := &started{front: harness.Address(t), admin: harness.Address(t)}
	r.Process = startLimited(t, 0, append([]string{"-router", "-orchAddr", orchestrators, "-serviceAddr", r.front,
		"-httpAddr", r.front, "-cliAddr", r.admin, "-dataDir", t.TempDir()}, args...)...)
	r.WaitHTTP("https://" + r.front + "/healthz")
	return r
}

// caller is a client of the network's calls at the stranger's address.
func (s *stranger) caller(t *testing.T) rpc.OrchestratorClient {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+s.to,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return s.dial(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return rpc.NewOrchestratorClient(conn)
}

// offersTo is how many of ten offers a gateway of an address of its own gets, each
// within a gateway's patience.
func offersTo(t *testing.T, n int, front string) (got int) {
	t.Helper()
	caller := strangerAt(n, front).caller(t)
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		_, err := caller.GetOrchestrator(ctx, videoRequest())
		cancel()
		if err == nil {
			got++
		} else {
			t.Log(err)
		}
	}
	return got
}

// videoRequest is what an off-chain gateway asks for a stream.
func videoRequest() *rpc.OrchestratorRequest {
	wanted := capability.Offer(capability.Default(), "0.9.1")
	return &rpc.OrchestratorRequest{Address: make([]byte, 20), Capabilities: rpc.FromCapabilities(wanted)}
}

// ask has so many callers of one address ask again and again until ctx ends, and adds
// their questions to total. wait is to be called after that.
func (s *stranger) ask(ctx context.Context, t *testing.T, callers int, req func() *rpc.OrchestratorRequest,
	total *atomic.Int64) (wait func()) {
	t.Helper()
	var wg sync.WaitGroup
	client := s.caller(t)
	for range callers {
		wg.Go(func() {
			for ctx.Err() == nil {
				sub, cancel := context.WithTimeout(ctx, 20*time.Second)
				_, _ = client.GetOrchestrator(sub, req()) // what comes of it does not matter to the attacker
				cancel()
				total.Add(1)
			}
		})
	}
	return wg.Wait
}

// honest is the number of an address that no attacker has, nor its network.
const honest = 20_000

// routerAttacks are what strangers ask a router, each of so many addresses in so many
// networks. known: the orchestrator knows its router.
var routerAttacks = []struct {
	name                string
	addresses, networks int
	known               bool
	req                 func() *rpc.OrchestratorRequest
}{
	{"large signatures", 6, 1, false, func() *rpc.OrchestratorRequest {
		return &rpc.OrchestratorRequest{Address: make([]byte, 20), Sig: make([]byte, 120<<10)}
	}},
	{"large addresses", 6, 1, false, func() *rpc.OrchestratorRequest {
		return &rpc.OrchestratorRequest{Address: make([]byte, 10<<10)}
	}},
	{"signatures that do not match", 6, 1, false, func() *rpc.OrchestratorRequest {
		return &rpc.OrchestratorRequest{Address: make([]byte, 20), Sig: make([]byte, 65)}
	}},
	{"questions in the right form", 6, 1, false, videoRequest},
	{"questions of many networks", 40, 5, true, videoRequest},
}

// TestARouterPassesNoFloodOn: strangers that ask a router as fast as they can take
// neither the router's share at its orchestrator nor the offers of others.
func TestARouterPassesNoFloodOn(t *testing.T) {
	length := time.Second
	if adversary.Long() {
		length = 20 * time.Second
	}
	for n, a := range routerAttacks {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			var args []string
			if a.known {
				args = []string{"-knownPeers", "127.0.0.1"}
			}
			r := routerOf(t, orchestrator(t, 0, args...).front)
			if got := offersTo(t, honest, r.front); got != 10 {
				t.Fatalf("%d of 10 offers without an attack", got)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var total atomic.Int64
			for i := range a.addresses {
				s := strangerAt(200*(10*(n+1)+i%a.networks)+i, r.front)
				defer s.ask(ctx, t, 8, a.req, &total)()
			}
			defer cancel()
			under := time.NewTimer(length) // what the orchestrator takes at once is spent by then
			defer under.Stop()
			<-under.C
			got := offersTo(t, honest, r.front)
			t.Logf("%d of 10 offers, alongside %d questions of strangers", got, total.Load())
			if got != 10 {
				t.Errorf("%d of 10 offers", got)
			}
			if r.condition(t, "OffersUnanswered") {
				t.Error("the orchestrator did not answer its router")
			}
		})
	}
}
