package recipient_test

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/test/coretest"
)

var (
	orchestrator = core.Address{0x50, 19: 0x9c}
	start        = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	llama        = inference.Model{Capability: capability.LLM, ID: "llama"}
	qwen         = inference.Model{Capability: capability.LLM, ID: "qwen"}
)

// ether and gwei are amounts for tests.
func ether(n int64) core.Wei { return wei(new(big.Int).Mul(big.NewInt(n), big.NewInt(1e18))) }
func gwei(n uint64) core.Wei { return core.NewWei(n * 1e9) }
func wei(n *big.Int) core.Wei {
	w, err := core.WeiOf(n)
	if err != nil {
		panic(err)
	}
	return w
}

// chain is a chain that stands still until a test moves it.
type chain struct {
	mu    sync.Mutex
	view  protocol.View
	funds map[core.Address]protocol.SenderFunds
	err   error
}

func newChain() *chain {
	c := &chain{funds: make(map[core.Address]protocol.SenderFunds)}
	c.view.Known, c.view.PoolSize = true, 1
	c.view.Head.L1, c.view.Head.BaseFee = 21_000_000, core.NewWei(100_000_000)
	c.view.Self.Active = true
	c.view.Round = protocol.RoundState{Number: 3500, Initialized: true, LastInitialized: 3500,
		LastHash: protocol.Hash{0xcc}, PreviousHash: protocol.Hash{0xbb}}
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
	return c.funds[sender], c.err
}

func (c *chain) change(f func(*protocol.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.view)
}

func (c *chain) fund(sender core.Address, deposit, reserve core.Wei) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.funds[sender]
	f.Deposit, f.Reserve.FundsRemaining = deposit, reserve
	c.funds[sender] = f
}

// prices are what work costs in a test.
type prices struct {
	transcoding *big.Rat
	models      map[inference.Model]*big.Rat
	adjust      bool
}

func (p *prices) Transcoding(core.Address) *big.Rat { return p.transcoding }
func (p *prices) Model(_ core.Address, m inference.Model) (*big.Rat, bool) {
	r, ok := p.models[m]
	return r, ok
}
func (p *prices) Models() []inference.Model { return []inference.Model{llama, qwen} }
func (p *prices) AutoAdjust() bool          { return p.adjust }

// counter notes refusals.
type counter struct {
	pm.NopRecorder
	mu       sync.Mutex
	refused  []string
	received int
	funds    int
}

func (c *counter) SenderFunds(_ core.Address, deposit, reserve, maxFloat, _ core.Wei) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if deposit.Cmp(ether(10)) == 0 && reserve.Cmp(ether(10)) == 0 && maxFloat.Cmp(ether(10)) == 0 {
		c.funds++
	}
}

func (c *counter) PaymentRefused(_ core.Address, code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused = append(c.refused, code)
}

func (c *counter) TicketsReceived(_ core.Address, _ core.ManifestID, n, _ int, _ pm.Value) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received += n
}

// node is a recipient and all around it.
type node struct {
	*recipient.Recipient
	t     testing.TB
	opt   recipient.Options
	chain *chain
	books *books
	price *prices
	clock *coretest.Clock
	count *counter
	mu    sync.Mutex
	won   []pm.Winner
}

// newNode makes one whose tickets are worth 8 gwei and win hardly ever.
func newNode(t testing.TB, change ...func(*recipient.Options)) *node {
	n := &node{t: t, chain: newChain(), books: newBooks(), count: new(counter), clock: coretest.NewClock(start),
		price: &prices{transcoding: big.NewRat(1200, 1), models: map[inference.Model]*big.Rat{llama: big.NewRat(7, 2),
			qwen: big.NewRat(5, 1)}}}
	n.opt = recipient.Options{
		Ledger: n.books, Opening: pm.Opening{Clean: true, Current: pm.Epoch{ID: 1, Secret: pm.Secret{1}}},
		Prices: n.price, Chain: n.chain, Recipient: orchestrator,
		TicketEV: gwei(8), RedeemGas: 1_200_000,
		Rand: rand.NewChaCha8([32]byte{7}), Now: n.clock.Now, Log: slog.New(slog.DiscardHandler), Recorder: n.count,
		Won: func(w pm.Winner) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.won = append(n.won, w)
		},
	}
	for _, f := range change {
		f(&n.opt)
	}
	n.open()
	return n
}

// open makes the recipient again from its options.
func (n *node) open() {
	n.t.Helper()
	var err error
	if n.Recipient, err = recipient.New(n.opt); err != nil {
		n.t.Fatal(err)
	}
}

// often makes tickets win with a probability of 1/3.
func often(o *recipient.Options) { o.TicketEV = gwei(4_000_000) }

// balance is what an account has by the recipient and by the books, which must be
// the same; false when there is none.
func (n *node) balance(s *session) (pm.Value, bool) {
	n.t.Helper()
	id := pm.Account{Sender: s.g.addr, Key: s.key}
	all := n.Snapshot(context.Background()).Accounts
	i := slices.IndexFunc(all, func(a recipient.AccountState) bool { return a.Account == id })
	n.books.mu.Lock()
	inBooks, known := n.books.balances[id]
	n.books.mu.Unlock()
	if i < 0 {
		if known {
			n.t.Errorf("the books have %v in an account that is closed", inBooks)
		}
		return pm.Value{}, false
	}
	if inBooks.Cmp(all[i].Balance) != 0 {
		n.t.Errorf("balance %v, the books say %v", all[i].Balance, inBooks)
	}
	return all[i].Balance, true
}

// ev is what so many tickets of a session are worth.
func (s *session) ev(n int64) pm.Value { return s.terms.EV().Times(n) }

// admit must succeed.
func (n *node) admit(job *pm.Job) pm.Hold {
	n.t.Helper()
	h, err := n.Admit(context.Background(), job)
	if err != nil {
		n.t.Fatal(err)
	}
	return h
}

// refuse must fail with a code and a text for gateways.
func (n *node) refuse(job *pm.Job, code fault.Code, wire string) {
	n.t.Helper()
	h, err := n.Admit(context.Background(), job)
	if err == nil {
		h.Release()
		n.t.Fatalf("admitted, want %s", code)
	}
	if fault.CodeOf(err) != code || wire != "" && fault.Wire(err) != wire {
		n.t.Errorf("refused with %v, for gateways %q; want %s %q", err, fault.Wire(err), code, wire)
	}
	n.count.mu.Lock()
	defer n.count.mu.Unlock()
	if len(n.count.refused) == 0 || n.count.refused[len(n.count.refused)-1] != string(code) {
		n.t.Errorf("counted %v, want %s", n.count.refused, code)
	}
}

var errDown = errors.New("down")

// maxFloat is a redeemer that always says the same.
func maxFloat(w core.Wei) func(context.Context, core.Address) (core.Wei, error) {
	return func(context.Context, core.Address) (core.Wei, error) { return w, nil }
}
