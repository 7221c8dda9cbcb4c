package chain_test

import (
	"context"
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/chain"
)

var rich = chain.Key("rich")

// start returns a chain that makes blocks only on request.
func start(t *testing.T, change func(*chain.Options)) (*chain.Chain, *ethclient.Client) {
	t.Helper()
	opt := chain.Options{
		ChainID: 42161, BaseFee: core.NewWei(10_000_000), L1Start: 20_000_000, Log: slog.New(slog.DiscardHandler),
		Balances: map[common.Address]core.Wei{chain.Address(rich): core.NewWei(1e18)},
	}
	if change != nil {
		change(&opt)
	}
	c, err := chain.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	client := ethclient.NewClient(c.Dial())
	t.Cleanup(client.Close)
	return c, client
}

// pay makes a transaction of one wei.
func pay(t *testing.T, nonce uint64) *types.Transaction {
	t.Helper()
	to := common.Address{1}
	return types.MustSignNewTx(rich, types.LatestSignerForChainID(big.NewInt(42161)), &types.DynamicFeeTx{
		ChainID: big.NewInt(42161), Nonce: nonce, GasFeeCap: big.NewInt(20_000_000), GasTipCap: new(big.Int), Gas: 21000,
		To: &to, Value: big.NewInt(1),
	})
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	c, client := start(t, nil)
	ctx := t.Context()
	for n := range uint64(3) {
		if err := client.SendTransaction(ctx, pay(t, n)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Mine(2); err != nil {
			t.Fatal(err)
		}
	}
	head, err := client.HeaderByNumber(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := client.HeaderByNumber(ctx, big.NewInt(1))
	if err != nil {
		t.Fatal(err)
	}
	if head.Number.Uint64() != 6 || head.BaseFee.Uint64() != 10_000_000 || head.Time-first.Time > 3 {
		t.Errorf("head %v, base fee %v, %d s after the first", head.Number, head.BaseFee, head.Time-first.Time)
	}
	if b, err := client.BalanceAt(ctx, common.Address{1}, nil); err != nil || b.Uint64() != 3 {
		t.Errorf("balance %v, %v", b, err)
	}
	if b, err := client.BalanceAt(ctx, common.Address{1}, big.NewInt(2)); err != nil || b.Uint64() != 1 {
		t.Errorf("balance in block 2: %v, %v", b, err)
	}
}

func TestL1IsInTheHeader(t *testing.T) {
	t.Parallel()
	c, client := start(t, nil)
	if n, err := c.AdvanceL1(5); err != nil || n != 20_000_005 {
		t.Fatal(n, err)
	}
	if _, err := c.Mine(1); err != nil {
		t.Fatal(err)
	}
	for number, want := range map[int64]protocol.L1Block{0: 20_000_000, 1: 20_000_005, 2: 20_000_005} {
		h, err := client.HeaderByNumber(t.Context(), big.NewInt(number))
		if err != nil {
			t.Fatal(err)
		}
		if got := chain.L1Of(h); got != want {
			t.Errorf("block %d: L1 %d, want %d", number, got, want)
		}
	}
}

func TestBaseFee(t *testing.T) {
	t.Parallel()
	c, client := start(t, nil)
	c.SpikeBaseFee(core.NewWei(50_000_000), 2)
	if err := client.SendTransaction(t.Context(), pay(t, 0)); err != nil {
		t.Fatal(err)
	}
	for block, want := range []int{0, 0, 1} {
		h, err := c.Mine(1)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := client.TransactionCount(t.Context(), h.Hash()); err != nil || int(n) != want {
			t.Errorf("block %d: %d transactions, %v, want %d", block, n, err, want)
		}
	}
}

func TestReorg(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reorg chain.Reorg
		mined bool // right after
		later bool // a block later
	}{
		{"kept", chain.Reorg{Depth: 2, Keep: true}, true, true},
		{"back to the pool", chain.Reorg{Depth: 2}, false, true},
		{"forgotten", chain.Reorg{Depth: 2, Forget: true}, false, false},
		{"deep", chain.Reorg{Depth: 12, Keep: true}, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, client := start(t, nil)
			if _, err := c.Mine(20); err != nil {
				t.Fatal(err)
			}
			if err := client.SendTransaction(t.Context(), pay(t, 0)); err != nil {
				t.Fatal(err)
			}
			before, err := c.Mine(1)
			if err != nil {
				t.Fatal(err)
			}
			after, err := c.Reorg(tt.reorg)
			if err != nil {
				t.Fatal(err)
			}
			if after.Number.Cmp(before.Number) != 0 || after.Hash() == before.Hash() {
				t.Errorf("head %v %v became %v %v", before.Number, before.Hash(), after.Number, after.Hash())
			}
			mined := func() bool {
				r, err := client.TransactionReceipt(t.Context(), pay(t, 0).Hash())
				return err == nil && r != nil
			}
			if mined() != tt.mined {
				t.Errorf("mined after the fork: %v", !tt.mined)
			}
			if _, err := c.Mine(1); err != nil {
				t.Fatal(err)
			}
			if mined() != tt.later {
				t.Errorf("mined a block later: %v", !tt.later)
			}
		})
	}
}

func TestReorgBounds(t *testing.T) {
	t.Parallel()
	c, _ := start(t, nil)
	for _, depth := range []uint64{0, 1} {
		if _, err := c.Reorg(chain.Reorg{Depth: depth}); err == nil {
			t.Errorf("depth %d of an empty chain is accepted", depth)
		}
	}
}

func TestRunMinesWhatArrives(t *testing.T) {
	t.Parallel()
	c, client := start(t, func(o *chain.Options) { o.L1Time = 20 * time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	if err := client.SendTransaction(ctx, pay(t, 0)); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for c.L1Head() < 20_000_003 {
		<-tick.C
	}
	if r, err := client.TransactionReceipt(ctx, pay(t, 0).Hash()); err != nil || r.Status != 1 {
		t.Errorf("receipt %v, %v", r, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
