package endpoint

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// devPool is a running pool over the first n endpoints of a real local chain.
func devPool(t *testing.T, chain *devnet.Chain, board *health.Board, urls ...string) *Pool {
	t.Helper()
	o := Options{ChainID: chain.Info.ChainID, PollInterval: 200 * time.Millisecond, CallTimeout: time.Second,
		Board: board, LogRange: 64}
	for i, u := range urls {
		o.Endpoints = append(o.Endpoints, Endpoint{URL: core.NewSecret(u), Name: string(rune('a' + i))})
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	running(t, p)
	eventually(t, "the first block", func() bool { _, ok := p.Known(); return ok })
	return p
}

// devFaults are what endpoints of the chain can be made to do wrong.
func devFaults() []control.Fault {
	return []control.Fault{
		{Kind: control.Stop}, {Kind: control.Hang}, {Kind: control.Slow, Duration: control.Duration(3 * time.Second)},
		{Kind: control.HTTP429}, {Kind: control.HTTP500}, {Kind: control.HTML502}, {Kind: control.HalfJSON},
		{Kind: control.Reset},
		{Kind: control.LimitExceeded}, {Kind: control.WrongChain, ChainID: 1}, {Kind: control.Lag, Blocks: 20},
		{Kind: control.LogRange, Blocks: 10}, {Kind: control.StaleReceipts},
	}
}

// Two of three endpoints of a real chain fail in every way, one after the other;
// reads, a transaction and its receipt succeed all the while.
func TestRealChainWithTwoBadEndpoints(t *testing.T) {
	chain := devnet.Start(t, devnet.Options{Endpoints: 3, NoContracts: true})
	chain.Mine(300)
	p := devPool(t, chain, nil, chain.URL(0), chain.WebsocketURL(1), chain.URL(2))
	nonce := uint64(0)
	for _, f := range devFaults() {
		chain.SetFaults(0, f)
		chain.SetFaults(1, f)
		head := chain.Mine(1)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		seen, err := p.HeaderByNumber(ctx, head)
		if err != nil || seen.Number != head || seen.L1 == protocol.L1Block(head) {
			t.Errorf("%s: block %d is %+v, %v", f.Kind, head, seen, err)
		}
		if now, err := p.Head(ctx); err != nil || now.Number < head {
			t.Errorf("%s: newest %d, %v", f.Kind, now.Number, err)
		}
		if _, next, err := p.Logs(ctx, 1, head, LogFilter{}); err != nil || next != head+1 {
			t.Errorf("%s: logs up to %d, %v", f.Kind, next, err)
		}
		if r, err := p.CallBatch(ctx, 0, calls(10)); err != nil || len(r) != 10 {
			t.Errorf("%s: batch %v, %v", f.Kind, r, err)
		}
		sendAndFind(ctx, t, p, chain, nonce, string(f.Kind))
		nonce++
		cancel()
		chain.SetFaults(0)
		chain.SetFaults(1)
	}
}

func sendAndFind(ctx context.Context, t *testing.T, p *Pool, chain *devnet.Chain, nonce uint64, what string) {
	t.Helper()
	key := chain.Key(0)
	to := common.Address{7}
	id := new(big.Int).SetUint64(chain.Info.ChainID)
	tx := types.MustSignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Gas: 100_000, GasFeeCap: big.NewInt(100e9), GasTipCap: new(big.Int),
		Value: big.NewInt(1),
	})
	if err := p.SendTransaction(ctx, tx); err != nil {
		t.Fatalf("%s: send: %v", what, err)
	}
	eventually(t, what+": the receipt", func() bool {
		r, err := p.TransactionReceipt(ctx, protocol.TxHash(tx.Hash()))
		return err == nil && r.Status == 1
	})
	if n, err := p.NonceAt(ctx, crypto.PubkeyToAddress(key.PublicKey), 0); err != nil || n != nonce+1 {
		t.Errorf("%s: nonce %d after the receipt, %v", what, n, err)
	}
	// The same bytes again are no mistake.
	if err := p.SendTransaction(ctx, tx); err != nil {
		t.Errorf("%s: sent again: %v", what, err)
	}
}

// A single endpoint of a real chain: each fault has its name, and goes away.
func TestRealChainConditions(t *testing.T) {
	chain := devnet.Start(t, devnet.Options{NoContracts: true})
	board := health.New(discard(), time.Now, nil)
	p := devPool(t, chain, board, chain.URL(0))
	has := func(code fault.Code) bool {
		for _, c := range board.Snapshot() {
			if c.Code == code {
				return true
			}
		}
		return false
	}
	for _, tt := range []struct {
		f    control.Fault
		code fault.Code
	}{
		{control.Fault{Kind: control.Stop}, fault.RPCUnreachable},
		{control.Fault{Kind: control.Hang}, fault.RPCTimeout},
		{control.Fault{Kind: control.HTTP429}, fault.RPCRateLimited},
		{control.Fault{Kind: control.LimitExceeded}, fault.RPCRateLimited},
		{control.Fault{Kind: control.HTML502}, fault.RPCGarbage},
		{control.Fault{Kind: control.HalfJSON}, fault.RPCGarbage},
	} {
		chain.SetFaults(0, tt.f)
		eventually(t, string(tt.f.Kind)+" is named", func() bool { return has(tt.code) && has(fault.ChainUnavailable) })
		if _, err := p.Head(t.Context()); !errors.Is(err, fault.ChainUnavailable) || !errors.Is(err, tt.code) {
			t.Errorf("%s: %v", tt.f.Kind, err)
		}
		chain.SetFaults(0)
		// The next look is waited for in the shortest way: its rest is ended.
		r := p.remotes[0]
		r.mu.Lock()
		r.until = time.Time{}
		r.mu.Unlock()
		eventually(t, string(tt.f.Kind)+" is over", board.Healthy)
	}
}

func TestRealChainWrongChainAndRefusals(t *testing.T) {
	chain := devnet.Start(t, devnet.Options{Endpoints: 2, NoContracts: true})
	chain.SetFaults(0, control.Fault{Kind: control.WrongChain, ChainID: 1})
	chain.SetFaults(1, control.Fault{Kind: control.WrongChain, ChainID: 10})
	for i, code := range []fault.Code{fault.RPCLayerOne, fault.RPCWrongChain} {
		p, err := New(Options{Endpoints: []Endpoint{{URL: core.NewSecret(chain.URL(i))}}, ChainID: chain.Info.ChainID})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Head(t.Context()); !errors.Is(err, code) {
			t.Errorf("%v, want %s", err, code)
		}
		p.Close()
	}
	chain.SetFaults(0)
	p := devPool(t, chain, nil, chain.URL(0))
	id := new(big.Int).SetUint64(chain.Info.ChainID)
	unfunded, _ := crypto.GenerateKey()
	tx := types.MustSignNewTx(unfunded, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, To: &common.Address{}, Gas: 100_000, GasFeeCap: big.NewInt(100e9), GasTipCap: new(big.Int),
	})
	if err := p.SendTransaction(t.Context(), tx); fault.CodeOf(err) != fault.TxFundsMissing {
		t.Errorf("no money: %v", err)
	}
}

// Endpoints that take a transaction and break the connection before they say so:
// the transaction counts as sent, because it is found.
func TestRealChainLostAnswers(t *testing.T) {
	chain := devnet.Start(t, devnet.Options{Endpoints: 2, NoContracts: true})
	p := devPool(t, chain, nil, chain.URL(0), chain.WebsocketURL(1))
	for i := range 2 {
		chain.SetFaults(i, control.Fault{Kind: control.Reset, Methods: []string{"send"}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sendAndFind(ctx, t, p, chain, 0, "lost answers")
}

func TestRealChainTellsOfHeads(t *testing.T) {
	chain := devnet.Start(t, devnet.Options{NoContracts: true})
	chain.Mine(5)
	o := Options{Endpoints: []Endpoint{{URL: core.NewSecret(chain.WebsocketURL(0))}}, PollInterval: 2 * time.Second}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	running(t, p)
	heads := p.Heads(t.Context())
	<-heads
	eventually(t, "a subscription", func() bool { return p.Status().Endpoints[0].Subscribed })
	l1 := chain.AdvanceL1(7)
	want := chain.Mine(3)
	for h := range heads {
		if h.Number == want {
			if h.L1 != l1 {
				t.Errorf("L1 block %d, want %d", h.L1, l1)
			}
			break
		}
	}
	if p.ChainID() != chain.Info.ChainID {
		t.Errorf("chain ID %d", p.ChainID())
	}
}
