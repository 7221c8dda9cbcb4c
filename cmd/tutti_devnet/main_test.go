package main_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/tuttinode/tutti/test/devnet"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The node's library keeps these beyond its end.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/ethereum/go-ethereum/core.(*txSenderCacher).cache"),
		goleak.IgnoreAnyFunction("github.com/ethereum/go-ethereum/eth/filters.(*FilterAPI).NewHeads.func1"),
		goleak.IgnoreAnyFunction("github.com/syndtr/goleveldb/leveldb.(*DB).mpoolDrain"))
}

// dial opens a client that the test closes.
func dial(t *testing.T, url string) *ethclient.Client {
	t.Helper()
	client, err := ethclient.DialContext(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// pay makes a transaction of the n-th account that pays one wei to the zero address.
func pay(c *devnet.Chain, account, nonce uint64, feeCap int64) *types.Transaction {
	id := new(big.Int).SetUint64(c.Info.ChainID)
	return types.MustSignNewTx(c.Key(account), types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, GasFeeCap: big.NewInt(feeCap), GasTipCap: new(big.Int), Gas: 21000,
		To: &common.Address{1}, Value: big.NewInt(1),
	})
}

// fee is enough for the base fee that chains start with.
const fee = 20_000_000

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestAClientUsesTheChain(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	ctx := t.Context()
	if id, err := client.ChainID(ctx); err != nil || id.Uint64() != 42161 {
		t.Fatalf("chain %v, %v", id, err)
	}
	tx := pay(c, 3, 0, fee)
	if err := client.SendTransaction(ctx, tx); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a receipt", func() bool {
		r, err := client.TransactionReceipt(ctx, tx.Hash())
		return err == nil && r.Status == types.ReceiptStatusSuccessful
	})
	price, err := client.SuggestGasPrice(ctx)
	if err != nil || price.Int64() != 10_000_000 {
		t.Errorf("price %v, %v", price, err)
	}
	if tip, err := client.SuggestGasTipCap(ctx); err != nil || tip.Sign() != 0 {
		t.Errorf("tip %v, %v", tip, err)
	}
}
