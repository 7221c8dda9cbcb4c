package txmgr_test

import (
	"context"
	"errors"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// gate stands between one Manager and the world. Once it is shut, the Manager is
// dead: nothing that it still does has an effect. after counts down to that.
type gate struct {
	chain  *chain
	memory *memory

	mu     sync.Mutex
	after  int // effects until it shuts by itself; 0 for never
	closed bool
}

var errDead = errors.New("the process is dead")

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

func (g *gate) dead() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// dieAfter shuts the gate before the n-th effect from here on.
func (g *gate) dieAfter(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.after = n
}

// open says whether a call passes; effects are what kill counts.
func (g *gate) open(effect bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if effect && g.after > 0 {
		if g.after--; g.after == 0 {
			g.closed = true
		}
	}
	if g.closed {
		return errDead
	}
	return nil
}

func (g *gate) Load(ctx context.Context) ([]txmgr.Record, error) { return g.memory.Load(ctx) }

func (g *gate) SelectChain(ctx context.Context, genesis protocol.Hash) (bool, error) {
	if err := g.open(false); err != nil {
		return false, err
	}
	return g.memory.SelectChain(ctx, genesis)
}

func (g *gate) Genesis(ctx context.Context) (protocol.Hash, error) {
	if err := g.open(false); err != nil {
		return protocol.Hash{}, err
	}
	return g.chain.Genesis(ctx)
}

func (g *gate) Find(ctx context.Context, once string) (txmgr.Record, bool, error) {
	if err := g.open(false); err != nil {
		return txmgr.Record{}, false, err
	}
	return g.memory.Find(ctx, once)
}

func (g *gate) Put(ctx context.Context, records ...txmgr.Record) error {
	if err := g.open(true); err != nil {
		return err
	}
	return g.memory.Put(ctx, records...)
}

func (g *gate) Head(ctx context.Context) (protocol.Head, error) {
	if err := g.open(false); err != nil {
		return protocol.Head{}, err
	}
	return g.chain.Head(ctx)
}

func (g *gate) NonceAt(ctx context.Context, a common.Address, b protocol.L2Block) (uint64, error) {
	if err := g.open(false); err != nil {
		return 0, err
	}
	return g.chain.NonceAt(ctx, a, b)
}

func (g *gate) PendingNonceAt(ctx context.Context, a common.Address) (uint64, error) {
	if err := g.open(false); err != nil {
		return 0, err
	}
	return g.chain.PendingNonceAt(ctx, a)
}

func (g *gate) BalanceAt(ctx context.Context, a common.Address, b protocol.L2Block) (core.Wei, error) {
	if err := g.open(false); err != nil {
		return core.Wei{}, err
	}
	return g.chain.BalanceAt(ctx, a, b)
}

func (g *gate) SuggestTip(ctx context.Context) (core.Wei, error) {
	if err := g.open(false); err != nil {
		return core.Wei{}, err
	}
	return g.chain.SuggestTip(ctx)
}

func (g *gate) EstimateGas(ctx context.Context, c ethereum.CallMsg) (protocol.Gas, error) {
	if err := g.open(false); err != nil {
		return 0, err
	}
	return g.chain.EstimateGas(ctx, c)
}

func (g *gate) CallContract(ctx context.Context, c ethereum.CallMsg, b protocol.L2Block) ([]byte, error) {
	if err := g.open(false); err != nil {
		return nil, err
	}
	return g.chain.CallContract(ctx, c, b)
}

func (g *gate) TransactionReceipt(ctx context.Context, h protocol.TxHash) (*types.Receipt, error) {
	if err := g.open(false); err != nil {
		return nil, err
	}
	return g.chain.TransactionReceipt(ctx, h)
}

func (g *gate) TransactionByHash(ctx context.Context, h protocol.TxHash) (*types.Transaction, bool, error) {
	if err := g.open(false); err != nil {
		return nil, false, err
	}
	return g.chain.TransactionByHash(ctx, h)
}

func (g *gate) SendTransaction(ctx context.Context, tx *types.Transaction) error {
	if err := g.open(true); err != nil {
		return err
	}
	return g.chain.SendTransaction(ctx, tx)
}
