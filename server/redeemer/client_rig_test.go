package redeemer_test

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

var clientMe, clientGateway = core.Address{1}, core.Address{9}

// clientRig is an orchestrator's client over all its lives, its books and a redeemer.
type clientRig struct {
	*testing.T
	*redeemer.Client
	books *clientBooks
	far   *far
	board *health.Board
	opt   redeemer.ClientOptions
	stop  func()
	nonce uint64

	mu    sync.Mutex // covers the fields below
	ahead time.Duration
	round protocol.Round
	// lie is by how much the round of the view is too high.
	lie   protocol.Round
	asked int
}

func newClientRig(t *testing.T, with ...func(*clientRig)) *clientRig {
	t.Helper()
	r := &clientRig{T: t, books: &clientBooks{}, far: newFar(t), round: 7, stop: func() {}}
	r.board = health.New(slog.New(slog.DiscardHandler), r.now, nil)
	r.opt = redeemer.ClientOptions{
		Addr: r.far.addr, Ledger: r.books, Recipient: clientMe, View: r.view, Round: r.read, Board: r.board,
		Log: slog.New(slog.DiscardHandler), Now: r.now,
		Retry: 5 * time.Millisecond, RetryMost: 50 * time.Millisecond, AlertAfter: 20 * time.Millisecond,
	}
	for _, f := range with {
		f(r)
	}
	t.Cleanup(func() { r.stop() })
	return r
}

// start gives the client another life.
func (r *clientRig) start() {
	r.Helper()
	c, err := redeemer.NewClient(r.opt)
	if err != nil {
		r.Fatal(err)
	}
	r.Client = c
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	ready := make(chan struct{})
	running.Go(func() { _ = c.Run(ctx, func() { close(ready) }) })
	<-ready
	r.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
}

func (r *clientRig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Add(r.ahead)
}

func (r *clientRig) view() protocol.View {
	r.mu.Lock()
	defer r.mu.Unlock()
	return protocol.View{Known: true, Round: protocol.RoundState{Number: r.round}}
}

// read is the round by all endpoints.
func (r *clientRig) read(context.Context) (protocol.RoundState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return protocol.RoundState{Number: r.round - r.lie}, nil
}

// reads is how often the round was read again.
func (r *clientRig) reads() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// later moves the clock and the rounds.
func (r *clientRig) later(d time.Duration, rounds protocol.Round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ahead += d
	r.round += rounds
}

func clientKey() *ecdsa.PrivateKey { return keyOf('k') }

func keyOf(letter byte) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA([]byte(strings.Repeat(string(rune(letter)), 32)))
	if err != nil {
		panic(err)
	}
	return k
}

// win puts a winner into the books.
func (r *clientRig) win() pm.Winner { return r.winOf(clientKey()) }

func (r *clientRig) winOf(gateway *ecdsa.PrivateKey) pm.Winner { return r.winAt(r.now(), gateway) }

func (r *clientRig) winAt(won time.Time, gateway *ecdsa.PrivateKey) pm.Winner {
	r.nonce++
	t := coretest.Ticket(gateway, clientMe, core.NewWei(1000), r.nonce,
		protocol.RoundState{LastInitialized: 7, LastHash: protocol.Hash{7}})
	w := pm.Winner{Hash: t.Hash(), Ticket: t, ExpirationBlock: 140, Won: won, State: pm.TicketWon}
	r.books.append(w)
	return w
}

// wait polls until something holds.
func (r *clientRig) wait(what string, holds func() bool) {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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

// refusedAgain waits until a ticket was offered and answered once more.
func (r *clientRig) refusedAgain() {
	r.Helper()
	tries := func() int {
		r.far.mu.Lock()
		defer r.far.mu.Unlock()
		return r.far.tries
	}
	before := tries()
	r.wait("the ticket to be offered again", func() bool { return tries() > before+1 })
}

func (r *clientRig) handed(n int) {
	r.Helper()
	r.wait("tickets to be handed in", func() bool { return r.books.count(pm.TicketHanded) == n })
	if r.far.has() != n {
		r.Errorf("the redeemer has %d tickets, the books say %d", r.far.has(), n)
	}
}

// condition is a condition's detail, "" when it is not set.
func (r *clientRig) condition(code fault.Code) string {
	for _, c := range r.board.Snapshot() {
		if c.Code == code {
			return c.Detail + "."
		}
	}
	return ""
}
