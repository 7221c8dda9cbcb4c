package redeemer_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
	"github.com/tuttinode/tutti/test/coretest"
)

// stuck is a gateway of which nothing can be found out.
var me, stuck = core.Address{1}, core.Address{0xee}

// books is a redeemer that only remembers.
type books struct {
	mu      sync.Mutex // covers the fields below
	queued  map[protocol.Hash]int
	fail    error
	floats  map[core.Address]core.Wei
	changed map[chan struct{}]struct{}
	funds   func() (protocol.SenderFunds, error)
	reads   int
}

func newBooks() *books {
	return &books{queued: make(map[protocol.Hash]int), floats: make(map[core.Address]core.Wei),
		changed: make(map[chan struct{}]struct{})}
}

func (b *books) Queue(_ context.Context, w pm.Winner) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail == nil {
		b.queued[w.Hash]++
	}
	return b.fail
}

func (b *books) MaxFloat(ctx context.Context, sender core.Address) (core.Wei, error) {
	if sender == stuck {
		<-ctx.Done()
		return core.Wei{}, ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.floats[sender], b.fail
}

func (b *books) WatchMaxFloat(ctx context.Context, sender core.Address, f func(core.Wei) error) error {
	changed := make(chan struct{}, 1)
	b.mu.Lock()
	b.changed[changed] = struct{}{}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.changed, changed)
	}()
	for {
		now, err := b.MaxFloat(ctx, sender)
		if err == nil {
			err = f(now)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// set changes a max float; quietly, when no watcher is to be notified.
func (b *books) set(sender core.Address, v uint64, quietly bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.floats[sender] = core.NewWei(v)
	if quietly {
		return
	}
	for c := range b.changed {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (b *books) Pending(core.Address) core.Wei { return core.Wei{} }

func (b *books) Taken(_ context.Context, ticket protocol.Hash) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queued[ticket] > 0, nil
}

func (b *books) watchers() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.changed)
}

func (b *books) Funds(context.Context, core.Address) (protocol.SenderFunds, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reads++
	if b.funds != nil {
		return b.funds()
	}
	return protocol.SenderFunds{Sender: protocol.Sender{Deposit: core.NewWei(1)}}, nil
}

// rig is a service on a real socket, and a client of it.
type rig struct {
	*testing.T
	*books
	addr string
	api  rpc.TicketRedeemerClient
	stop func()
}

func newRig(t *testing.T, with ...func(*redeemer.Options)) *rig {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tlscert.Open(tlscert.Options{Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, books: newBooks(), addr: l.Addr().String()}
	opt := redeemer.Options{Listener: l, Cert: cert, Redeemer: r.books, Recipient: me, Funds: r.Funds,
		Taken: r.Taken, Log: slog.New(slog.DiscardHandler)}
	for _, f := range with {
		f(&opt)
	}
	s, err := redeemer.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done, ready := make(chan error, 1), make(chan struct{})
	go func() { done <- s.Run(ctx, func() { close(ready) }) }()
	<-ready
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	})
	t.Cleanup(r.stop)
	r.api = r.dial()
	return r
}

func (r *rig) dial() rpc.TicketRedeemerClient {
	r.Helper()
	conn, err := grpc.NewClient("passthrough:///"+r.addr, grpc.WithTransportCredentials(
		credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	return rpc.NewTicketRedeemerClient(conn)
}

// wait polls until something holds.
func (r *rig) wait(what string, holds func() bool) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.Fatalf("waiting for %s", what)
		}
	}
}

func key(n byte) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA([]byte(strings.Repeat("k", 31) + string('a'+rune(n))))
	if err != nil {
		panic(err)
	}
	return k
}

func ticket(nonce uint64) protocol.WinningTicket {
	return coretest.Ticket(key(0), me, core.NewWei(1000), nonce,
		protocol.RoundState{LastInitialized: 7, LastHash: protocol.Hash{7}})
}

var errChain = errors.New("the chain is away")
