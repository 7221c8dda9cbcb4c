package livepay

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/test/livepayer"
)

const service = "http://orch.test:8935"

// node is an orchestrator with live runners on a chain, and clocks that the test moves.
type node struct {
	t     testing.TB
	books *books
	chain *chain
	opt   recipient.Options
	rules orchestrate.Options
	dice  *rand.ChaCha8

	pay    *recipient.Recipient
	orch   *orchestrate.Orchestrator
	wall   *orchestrator.Paywall
	live   *liverunner.Server
	public *httptest.Server
	// payments changes those of the live runners, where it is set.
	payments func(liverunner.Payments) liverunner.Payments

	mu sync.Mutex
	// now is the clock on the wall, elapsed the one that nothing sets. dollars is what an ETH is worth.
	now     time.Time
	elapsed time.Duration
	dollars int64
}

// newNode makes one whose tickets are worth a number of wei.
func newNode(t testing.TB, ev uint64) *node {
	t.Helper()
	n := &node{
		t: t, chain: newChain(), dice: rand.NewChaCha8([32]byte{5}), dollars: 3000,
		now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
	}
	n.books = newBooks(n.time)
	n.opt = recipient.Options{
		Ledger: n.books, Opening: pm.Opening{Clean: true, Current: pm.Epoch{ID: 1, Secret: pm.Secret{1}}},
		Prices: noPrices{}, Chain: n.chain, Recipient: self.address(), TicketEV: core.NewWei(ev), RedeemGas: 1_200_000,
		Rand: n.dice, Now: n.time, Log: slog.New(slog.DiscardHandler),
	}
	n.rules = orchestrate.Options{
		ServiceURI: service, LiveWork: true, Signatures: orchestrate.NewKeySignatures(self), TokenSecret: pm.Secret{2},
		Capabilities: func() capability.Capabilities { return capability.Offer(capability.Default(), "0.9.1") },
		Now:          n.time, Elapsed: n.monotonic, Rand: n.dice, Log: n.opt.Log,
	}
	n.start()
	return n
}

// start makes the process's part of the node.
func (n *node) start() {
	n.t.Helper()
	var err error
	if n.pay, err = recipient.New(n.opt); err != nil {
		n.t.Fatal(err)
	}
	n.rules.Payments, n.rules.Live = n.pay, n.pay
	if n.orch, err = orchestrate.New(n.rules); err != nil {
		n.t.Fatal(err)
	}
	n.wall = orchestrator.NewPaywall(n.orch, "0.1.0", nil)
	payments := liverunner.Payments(n.wall)
	if n.payments != nil {
		payments = n.payments(payments)
	}
	if n.live, err = liverunner.New(liverunner.Options{
		ServiceURI: service, Secret: "topsecret", Payments: payments, Rate: n.rate, Rand: n.dice, Now: n.time, Log: n.opt.Log,
	}); err != nil {
		n.t.Fatal(err)
	}
	mux := http.NewServeMux()
	n.live.Routes(mux)
	n.wall.Routes(mux)
	n.public = httptest.NewServer(n.live.Wrap(mux))
	n.t.Cleanup(n.public.Close)
}

// kill ends the process without its doing anything, and starts it again.
func (n *node) kill() {
	n.t.Helper()
	n.public.Close()
	n.opt.Opening.Balances = n.books.kill()
	n.opt.Opening.Clean = false
	last := n.opt.Opening.Current
	n.opt.Opening.Retired = []pm.Epoch{last}
	n.opt.Opening.Current = pm.Epoch{ID: last.ID + 1, Secret: pm.Secret{byte(last.ID), byte(last.ID >> 8), 3}}
	n.start()
}

func (n *node) time() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

func (n *node) monotonic() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.elapsed
}

// later lets time pass, and set sets the clock on the wall.
func (n *node) later(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now, n.elapsed = n.now.Add(d), n.elapsed+d
}

func (n *node) set(by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = n.now.Add(by)
}

// rate is the price feed's; without dollars it knows none.
func (n *node) rate(u core.UnitPrice) (*big.Rat, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dollars == 0 {
		return nil, false
	}
	return new(big.Rat).Mul(u.PerPixel(), new(big.Rat).SetFrac64(1e18, n.dollars)), true
}

func (n *node) worth(dollars int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dollars = dollars
}

// register registers the operator's runners.
func (n *node) register(runners string) {
	n.t.Helper()
	if err := n.live.RegisterStatic(context.Background(), []byte(`{"runners":[`+runners+`]}`)); err != nil {
		n.t.Fatal(err)
	}
}

// account signs with a key in memory.
type account struct{ key *ecdsa.PrivateKey }

func newAccount(b byte) account {
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		panic(err)
	}
	return account{key}
}

// self is the orchestrator's. Read-only.
var self = newAccount(2)

func (a account) address() core.Address { return core.Address(crypto.PubkeyToAddress(a.key.PublicKey)) }

// Address implements orchestrate.Signer.
func (a account) Address() core.Address { return a.address() }

// SignMessage implements orchestrate.Signer.
func (a account) SignMessage(m signature.Message) ([]byte, error) {
	return signature.EthSign(a.key, m.Bytes())
}

// payer returns a funded one.
func (n *node) payer(b byte) *livepayer.Payer {
	a := newAccount(b)
	n.chain.fund(a.address())
	return payerOf(a)
}

func payerOf(a account) *livepayer.Payer {
	return &livepayer.Payer{Account: a.address(), Sign: a.SignMessage}
}

// chain is one that stands still.
type chain struct {
	mu    sync.Mutex
	view  protocol.View
	funds map[core.Address]protocol.SenderFunds
}

func newChain() *chain {
	c := &chain{funds: make(map[core.Address]protocol.SenderFunds)}
	c.view.Known, c.view.PoolSize = true, 1
	c.view.Head.L1, c.view.Head.BaseFee = 21_000_000, core.NewWei(1000)
	c.view.Self.Active = true
	c.view.Round = protocol.RoundState{
		Number: 3500, Initialized: true, LastInitialized: 3500, LastHash: protocol.Hash{0xcc},
		PreviousHash: protocol.Hash{0xbb},
	}
	return c
}

func (c *chain) View() protocol.View {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view
}

func (c *chain) SenderFunds(_ context.Context, sender core.Address) (protocol.SenderFunds, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.funds[sender], nil
}

// fund gives a gateway enough of everything.
func (c *chain) fund(sender core.Address) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.funds[sender]
	f.Deposit = core.NewWei(10_000_000_000_000_000_000)
	f.Reserve.FundsRemaining = f.Deposit
	c.funds[sender] = f
}

// noPrices: the node sells live work alone.
type noPrices struct{}

func (noPrices) Transcoding(core.Address) *big.Rat                    { return new(big.Rat) }
func (noPrices) Model(core.Address, inference.Model) (*big.Rat, bool) { return nil, false }
func (noPrices) Models() []inference.Model                            { return nil }
func (noPrices) AutoAdjust() bool                                     { return false }
