package main_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// mined reports whether a client sees a receipt.
func mined(t *testing.T, client *ethclient.Client, hash common.Hash) bool {
	t.Helper()
	r, err := client.TransactionReceipt(t.Context(), hash)
	return err == nil && r.Status == types.ReceiptStatusSuccessful
}

func TestSendIsExecutedAlthoughTheAnswerIsLost(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	c.SetFaults(0, control.Fault{Kind: control.Reset, Methods: []string{"send"}, Times: 1})
	tx := pay(c, 0, 0, fee)
	if err := client.SendTransaction(t.Context(), tx); err == nil {
		t.Fatal("the answer arrived")
	}
	eventually(t, "the transaction", func() bool { return mined(t, client, tx.Hash()) })
}

func TestDroppedTransactionsAreNeverSeen(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	if err := c.Control.DropNext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	lost, again := pay(c, 0, 0, fee), pay(c, 0, 0, fee+1)
	if err := client.SendTransaction(t.Context(), lost); err != nil {
		t.Fatal(err)
	}
	c.Mine(1)
	if _, _, err := client.TransactionByHash(t.Context(), lost.Hash()); err == nil {
		t.Error("the lost transaction is there")
	}
	if err := client.SendTransaction(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second transaction", func() bool { return mined(t, client, again.Hash()) })
}

func TestUnderpricedIsRefused(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	ctx := t.Context()
	if err := c.Control.SetBaseFee(ctx, core.NewWei(1_000_000_000)); err != nil {
		t.Fatal(err)
	}
	if err := client.SendTransaction(ctx, pay(c, 0, 0, fee)); !says("max fee per gas less than block base fee")(err) {
		t.Errorf("refusal: %v", err)
	}
	if price, err := client.SuggestGasPrice(ctx); err != nil || price.Int64() != 1_000_000_000 {
		t.Errorf("price %v, %v", price, err)
	}
	history, err := client.FeeHistory(ctx, 1, nil, nil)
	if err != nil || history.BaseFee[len(history.BaseFee)-1].Int64() != 1_000_000_000 {
		t.Errorf("history %+v, %v", history, err)
	}
	c.Mine(1)
	head, err := client.HeaderByNumber(ctx, nil)
	if err != nil || head.BaseFee.Int64() != 1_000_000_000 {
		t.Errorf("base fee of the block %v, %v", head.BaseFee, err)
	}
}

func TestATransactionWaitsWhileTheFeeIsHigh(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true})
	client := dial(t, c.URL(0))
	ctx := t.Context()
	if err := c.Control.SetAutomine(ctx, false); err != nil {
		t.Fatal(err)
	}
	tx := pay(c, 0, 0, fee)
	if err := client.SendTransaction(ctx, tx); err != nil {
		t.Fatal(err)
	}
	if err := client.SendTransaction(ctx, pay(c, 0, 0, fee+1)); !says("replacement transaction underpriced")(err) {
		t.Errorf("a replacement that pays hardly more: %v", err)
	}
	if err := c.Control.SpikeBaseFee(ctx, core.NewWei(1_000_000_000), 2); err != nil {
		t.Fatal(err)
	}
	c.Mine(2)
	if mined(t, client, tx.Hash()) {
		t.Error("mined below the base fee")
	}
	c.Mine(1)
	if !mined(t, client, tx.Hash()) {
		t.Error("not mined after the spike")
	}
}

func TestStaleReceipts(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{NoContracts: true, Endpoints: 2})
	good, stale := dial(t, c.URL(0)), dial(t, c.URL(1))
	c.SetFaults(1, control.Fault{Kind: control.StaleReceipts})
	tx := pay(c, 0, 0, fee)
	if err := stale.SendTransaction(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a receipt", func() bool { return mined(t, good, tx.Hash()) })
	if mined(t, stale, tx.Hash()) {
		t.Error("the endpoint knows the receipt")
	}
}
