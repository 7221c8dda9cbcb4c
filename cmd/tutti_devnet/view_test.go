package main_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// block is what Arbitrum says of a block and Ethereum's clients do not read.
type block struct {
	Hash          common.Hash    `json:"hash"`
	Number        hexutil.Uint64 `json:"number"`
	L1BlockNumber hexutil.Uint64 `json:"l1BlockNumber"`
}

func TestL1NumbersOfOldBlocks(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	want := map[uint64]uint64{0: 20_000_000}
	for n := range uint64(6) {
		at := uint64(c.AdvanceL1(n + 1))
		head := uint64(c.Mine(1))
		want[head-1], want[head] = at, at
	}
	clock := common.BytesToAddress([]byte{0x64})
	for number, l1 := range want {
		var b, same block
		if err := client.Client().CallContext(t.Context(), &b, "eth_getBlockByNumber", hexutil.Uint64(number),
			false); err != nil {
			t.Fatal(err)
		}
		if err := client.Client().CallContext(t.Context(), &same, "eth_getBlockByHash", b.Hash, true); err != nil {
			t.Fatal(err)
		}
		slot, err := client.StorageAt(t.Context(), clock, common.Hash{}, new(big.Int).SetUint64(number))
		if err != nil {
			t.Fatal(err)
		}
		stored := new(big.Int).SetBytes(slot).Uint64()
		if uint64(b.L1BlockNumber) != l1 || b != same || stored != l1 {
			t.Errorf("block %d: %+v, by hash %+v, clock %d, want %d", number, b, same, stored, l1)
		}
	}
}

func TestNoBlockHasNoL1Number(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	var raw json.RawMessage
	if err := dial(t, c.URL(0)).Client().CallContext(t.Context(), &raw, "eth_getBlockByNumber", "0x99",
		false); err != nil || string(raw) != "null" {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestLagIsConsistent(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{Endpoints: 2})
	good, late := dial(t, c.URL(0)), dial(t, c.URL(1))
	ctx := t.Context()
	tx := pay(c, 0, 0, fee)
	if err := good.SendTransaction(ctx, tx); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a receipt", func() bool { return mined(t, good, tx.Hash()) })
	head := uint64(c.Mine(2))
	c.SetFaults(1, control.Fault{Kind: control.Lag, Blocks: 3})
	seen := head - 3
	if n, err := late.BlockNumber(ctx); err != nil || n != seen {
		t.Errorf("block %d, %v, want %d", n, err, seen)
	}
	for _, at := range []*big.Int{nil, big.NewInt(-3), big.NewInt(-4)} { // latest, finalized, safe
		if h, err := late.HeaderByNumber(ctx, at); err != nil || h.Number.Uint64() != seen {
			t.Errorf("header at %v: %v, %v", at, h, err)
		}
	}
	if _, err := late.HeaderByNumber(ctx, new(big.Int).SetUint64(head)); err == nil {
		t.Error("a block of the future is there")
	}
	if mined(t, late, tx.Hash()) {
		t.Error("a receipt of the future is there")
	}
	if n, err := late.NonceAt(ctx, c.Info.Accounts[0], nil); err != nil || n != 0 {
		t.Errorf("nonce %d, %v", n, err)
	}
	if n, err := late.PendingNonceAt(ctx, c.Info.Accounts[0]); err != nil || n != 0 {
		t.Errorf("pending nonce %d, %v", n, err)
	}
	if _, err := late.BalanceAt(ctx, c.Info.Accounts[0], new(big.Int).SetUint64(head)); !says("header not found")(err) {
		t.Errorf("a balance of the future: %v", err)
	}
	logs, err := late.FilterLogs(ctx, ethereum.FilterQuery{FromBlock: new(big.Int), ToBlock: new(big.Int).SetUint64(head)})
	for _, l := range logs {
		if l.BlockNumber > seen {
			t.Errorf("a log of block %d", l.BlockNumber)
		}
	}
	if err != nil || len(logs) == 0 {
		t.Errorf("%d logs, %v", len(logs), err)
	}
}

func TestThePendingBlockIsTheNewest(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	c.AdvanceL1(3)
	if err := c.Control.SetAutomine(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if err := client.SendTransaction(t.Context(), pay(c, 0, 0, fee)); err != nil {
		t.Fatal(err)
	}
	var pending, latest block
	for tag, b := range map[string]*block{"pending": &pending, "latest": &latest} {
		if err := client.Client().CallContext(t.Context(), b, "eth_getBlockByNumber", tag, false); err != nil {
			t.Fatal(err)
		}
	}
	if pending != latest || latest.L1BlockNumber != 20_000_003 {
		t.Errorf("pending %+v, latest %+v", pending, latest)
	}
	if n, err := client.PendingNonceAt(t.Context(), c.Info.Accounts[0]); err != nil || n != 1 {
		t.Errorf("pending nonce %d, %v", n, err)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	c.AdvanceL1(4)
	hashes := make(map[common.Hash]bool)
	var headers []*types.Header
	for n := range int64(2) {
		h, err := client.HeaderByNumber(t.Context(), big.NewInt(n))
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
		hashes[h.Hash()] = true
	}
	if headers[1].ParentHash != headers[0].Hash() || len(hashes) != 2 {
		t.Error("a client computes other hashes than the chain")
	}
	blocks := batchOfBlocks(t, c, 2)
	for n, b := range blocks {
		if !hashes[b.Hash] || uint64(b.L1BlockNumber) != 20_000_000+uint64(n)*4 {
			t.Errorf("block %d of the batch: %+v", n, b)
		}
	}
}

func batchOfBlocks(t *testing.T, c *devnet.Chain, count int) []block {
	t.Helper()
	batch := make([]rpc.BatchElem, count)
	blocks := make([]block, count)
	for n := range batch {
		batch[n] = rpc.BatchElem{Method: "eth_getBlockByNumber", Args: []any{fmt.Sprintf("%#x", n), false},
			Result: &blocks[n]}
	}
	if err := dial(t, c.URL(0)).Client().BatchCallContext(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	for _, b := range batch {
		if b.Error != nil {
			t.Fatal(b.Error)
		}
	}
	return blocks
}
