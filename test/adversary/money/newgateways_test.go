package money

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
)

// TestNewGatewaysAmongStrangers has one address ask for offers for ever new accounts, which cost nothing
// and whose funds would all have to be read. New gateways of other addresses get theirs at once.
func TestNewGatewaysAmongStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.newPayer(4).offer(wants(capability.LLM)) // the node is ready
	fresh := []*payer{w.newPayer(5), w.newPayer(6), w.newPayer(7)}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	flood := w.strangers(ctx, 300)
	w.Wait("the strangers", 30*time.Second, func() bool { return flood.Load() > 1000 })
	for i, p := range fresh {
		if _, err := p.offerNow(wants(capability.LLM)); err != nil {
			t.Errorf("new gateway %d, after %d strangers: %v", i, flood.Load(), err)
		}
	}
}

// strangers ask so often a second, each with an account of its own, until ctx ends. It counts them.
func (w *world) strangers(ctx context.Context, rate int) *atomic.Int64 {
	w.Helper()
	conn, err := grpc.NewClient(w.front, grpc.WithContextDialer(func(ctx context.Context, to string) (net.Conn, error) {
		return from(net.ParseIP("127.0.9.1")).DialContext(ctx, "tcp", to)
	}), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	w.must(err)
	w.T.Cleanup(func() { conn.Close() })
	var asked atomic.Int64
	tick := time.NewTicker(time.Second / time.Duration(rate))
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			key, err := crypto.GenerateKey()
			if err != nil {
				return
			}
			p := &payer{world: w, key: key, address: crypto.PubkeyToAddress(key.PublicKey)}
			req := &rpc.OrchestratorRequest{Address: p.address[:], Sig: p.sign([]byte(p.address.Hex())),
				Capabilities: wants(capability.LLM)}
			asked.Add(1)
			go func() {
				short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
				defer cancel()
				_, _ = rpc.NewOrchestratorClient(conn).GetOrchestrator(short, req)
			}()
		}
	}()
	return &asked
}
