package bounds

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
)

// What one unknown address may send, and what each question below has. See operations.md.
const (
	atOnce, eachSecond = 512 << 10, 128 << 10
	question           = 100 << 10
	questions          = 4
)

// dialer connects from attacker number n of a network; other from another network.
type dialer struct {
	from  func(ctx context.Context, n int) (net.Conn, error)
	other func(ctx context.Context) (net.Conn, error)
}

// TestANetworkOfOneOwner: an owner of a whole network makes an orchestrator read what a
// few addresses may send, not what all of his addresses may, and no other peer notices.
func TestANetworkOfOneOwner(t *testing.T) {
	t.Run("an IPv4 /24", func(t *testing.T) {
		o := orchestrator(t, 0)
		ownsNetwork(t, 150, 16, dialer{
			from:  func(ctx context.Context, n int) (net.Conn, error) { return strangerAt(n, o.front).dial(ctx) },
			other: func(ctx context.Context) (net.Conn, error) { return strangerAt(honest, o.front).dial(ctx) },
		})
	})
	t.Run("an IPv6 /48", func(t *testing.T) {
		if err := netlab.Needs(); err != nil {
			t.Skip("this machine cannot give a process further IPv6 addresses:", err)
		}
		const addresses = 60
		h := netlab.New(t).Host("node")
		at := func(n int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf("2001:db8:7:%x::1", n)) }
		for n := range addresses {
			h.Alias(at(n))
		}
		const front, port = "[::]:8935", ":8935"
		cmd := h.Command(t.Context(), node, "-orchestrator", "-transcoder", "-serviceAddr", h.Addr.String()+port,
			"-httpAddr", front, "-cliAddr", "127.0.0.1:7935", "-dataDir", t.TempDir())
		p := harness.Start(t, cmd.Path, cmd.Args[1:]...)
		d := dialer{
			from: func(ctx context.Context, n int) (net.Conn, error) {
				return h.DialFrom(ctx, at(n), "tcp", "[::1]"+port)
			},
			other: func(ctx context.Context) (net.Conn, error) { return h.Dial(ctx, "tcp", h.Addr.String()+port) },
		}
		p.Wait("the orchestrator", 30*time.Second, func() bool { return healthy(t.Context(), d.other) == nil })
		ownsNetwork(t, addresses, 4, d)
	})
}

// ownsNetwork has every address of a network send as much as one may send at once.
// factor is how many addresses' worth all of them may.
func ownsNetwork(t *testing.T, addresses, factor int, d dialer) {
	t.Helper()
	length := 4 * time.Second
	if adversary.Long() {
		length = 30 * time.Second
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var answered atomic.Int64
	var wg sync.WaitGroup
	for n := range addresses {
		conn, err := grpc.NewClient("passthrough:///node",
			grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return d.from(ctx, n) }))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer conn.Close()
			api := rpc.NewOrchestratorClient(conn)
			for range questions {
				if _, err := api.GetOrchestrator(ctx, &rpc.OrchestratorRequest{Sig: make([]byte, question)},
					grpc.WaitForReady(true)); err == nil {
					answered.Add(1)
				}
			}
		})
	}
	for n := range 10 {
		if err := healthy(t.Context(), d.other); err != nil {
			t.Errorf("request %d from another network: %v", n, err)
		}
	}
	wg.Wait()
	seconds := int64(time.Since(begun)/time.Second) + 1
	// Each connection may have one read more than the rate allows: a record of TLS.
	most := int64(factor)*(atOnce+eachSecond*seconds) + int64(addresses)*(16<<10)
	t.Logf("%d addresses had %d KB read within %d s, at most %d may be", addresses, answered.Load()*question>>10, seconds,
		most>>10)
	if answered.Load()*question > most {
		t.Error("the network costs more than a few addresses")
	}
}

// healthy asks for a node's health over a new connection.
func healthy(ctx context.Context, dial func(context.Context) (net.Conn, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}
	return ask(ctx, client, "https://node/healthz")
}
