package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// lookers are the two ways to look for the transaction: its receipt, and itself.
var lookers = map[string]func(context.Context, *Pool, *types.Transaction) error{
	"eth_getTransactionReceipt": func(ctx context.Context, p *Pool, tx *types.Transaction) error {
		_, err := p.TransactionReceipt(ctx, protocol.TxHash(tx.Hash()))
		return err
	},
	"eth_getTransactionByHash": func(ctx context.Context, p *Pool, tx *types.Transaction) error {
		_, _, err := p.TransactionByHash(ctx, protocol.TxHash(tx.Hash()))
		return err
	},
}

// shows is what an endpoint that has the transaction answers.
func shows(method string, tx *types.Transaction) any {
	if method == "eth_getTransactionByHash" {
		return tx
	}
	return &types.Receipt{Type: 2, TxHash: tx.Hash(), BlockNumber: big.NewInt(990),
		BlockHash: common.HexToHash(fakeHash(990, 0)), Logs: []*types.Log{}}
}

// later answers after a while, or when the test is over.
func later(t *testing.T, takes time.Duration, result any) rpcAnswer {
	return func([]json.RawMessage) (any, map[string]any) {
		select {
		case <-time.After(takes):
		case <-t.Context().Done():
		}
		return result, nil
	}
}

// An endpoint that says at once that it has nothing, because it is behind or has
// lost it, does not speak for a slow one that has it.
func TestAFastEndpointDoesNotSpeakForASlowOne(t *testing.T) {
	t.Parallel()
	for method, look := range lookers {
		for name, head := range map[string]uint64{"behind": 100, "forgetful": 1000} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				tx := signedTx(7)
				slow, fast := newFakeNode(t), newFakeNode(t)
				slow.answers[method] = later(t, lookupGrace+300*time.Millisecond, shows(method, tx))
				if method == "eth_getTransactionReceipt" {
					// It lost the receipts of a block that it has.
					fast.answers["eth_getTransactionByHash"] = gives(map[string]any{"hash": tx.Hash(),
						"blockHash": fakeHash(990, 0)})
				}
				fast.answers[method], fast.head = gives(nil), head
				p := poolOf(t, func(o *Options) { o.CallTimeout = 10 * time.Second }, slow, fast)
				if _, err := p.Head(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := look(t.Context(), p, tx); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// That a thing is nowhere is the word of an endpoint that has the newest block.
func TestNotFoundNeedsTheNewestBlock(t *testing.T) {
	t.Parallel()
	type endpoint struct {
		head   uint64
		answer rpcAnswer
	}
	nothing, limited := gives(nil), says(-32005, "limit exceeded")
	const cannotTell = "cannot tell"
	tests := []struct {
		name      string
		endpoints []endpoint
		// receipt and transaction are the verdicts of both ways, "" for NotFound.
		receipt, transaction string
	}{
		{"all are at the top", []endpoint{{1000, nothing}, {1000, nothing}}, "", ""},
		{"one is behind", []endpoint{{1000, nothing}, {100, nothing}}, "", ""},
		{"one fails", []endpoint{{1000, nothing}, {1000, limited}}, "", cannotTell},
		{"one has an error of its own", []endpoint{{1000, nothing}, {1000, says(-32000, "no index")}}, "", cannotTell},
		{"the endpoint at the newest block fails", []endpoint{{1000, limited}, {100, nothing}}, cannotTell, cannotTell},
	}
	for _, tt := range tests {
		for method, look := range lookers {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				t.Parallel()
				var nodes []*fakeNode
				for _, e := range tt.endpoints {
					n := newFakeNode(t)
					n.head, n.answers[method] = e.head, e.answer
					nodes = append(nodes, n)
				}
				p := poolOf(t, nil, nodes...)
				if _, err := p.Head(t.Context()); err != nil {
					t.Fatal(err)
				}
				want := tt.receipt
				if method == "eth_getTransactionByHash" {
					want = tt.transaction
				}
				err := look(t.Context(), p, signedTx(7))
				if err == nil || errors.Is(err, ethereum.NotFound) != (want == "") {
					t.Errorf("%v, want %q", err, want)
				}
			})
		}
	}
}

// An endpoint whose height is not known any more gets a request for it, and again for
// the thing: its first answer may be from before the newest block.
func TestEndpointThatCatchesUpIsAskedAgain(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := poolOf(t, nil, n)
	if _, err := p.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.learnHeight(1003)
	tx := signedTx(7)
	asked := 0
	n.set(func() {
		n.answers["eth_getTransactionReceipt"] = func([]json.RawMessage) (any, map[string]any) {
			if asked++; asked == 1 {
				n.head = 1003
				return nil, nil
			}
			return shows("eth_getTransactionReceipt", tx), nil
		}
	})
	if r, err := p.TransactionReceipt(t.Context(), protocol.TxHash(tx.Hash())); err != nil ||
		r.TxHash != common.Hash(tx.Hash()) {
		t.Fatal(r, err)
	}
}

// A transaction that no endpoint shows is not called absent while one hangs.
func TestAThoroughSearchWaitsForAll(t *testing.T) {
	t.Parallel()
	hangs, fast := newFakeNode(t), newFakeNode(t)
	hangs.answers["eth_getTransactionByHash"] = later(t, 4*time.Second, nil)
	fast.answers["eth_getTransactionByHash"] = gives(nil)
	p := poolOf(t, nil, hangs, fast)
	_, _, err := p.TransactionByHash(t.Context(), protocol.TxHash(signedTx(7).Hash()))
	if !errors.Is(err, fault.RPCTimeout) {
		t.Error(err)
	}
}

// What a transaction cost is told by its receipt as well: of three endpoints one shows
// the true receipt with another price. It is not believed, and is named.
func TestAFalsePriceInAReceiptIsNotBelieved(t *testing.T) {
	t.Parallel()
	tx, price := signedTx(7), big.NewInt(10_000_000)
	receipt := func(price *big.Int) rpcAnswer {
		r := shows("eth_getTransactionReceipt", tx).(*types.Receipt)
		r.Status, r.GasUsed, r.EffectiveGasPrice = types.ReceiptStatusFailed, 300_000, price
		return gives(r)
	}
	for name, third := range map[string]*big.Int{"all name a price": price, "one names none": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			liar, one, two := newFakeNode(t), newFakeNode(t), newFakeNode(t)
			liar.answers["eth_getTransactionReceipt"] = receipt(new(big.Int).Mul(price, price))
			one.answers["eth_getTransactionReceipt"] = receipt(price)
			two.answers["eth_getTransactionReceipt"] = receipt(third)
			p := poolOf(t, nil, liar, one, two)
			if _, err := p.Head(t.Context()); err != nil {
				t.Fatal(err)
			}
			r, err := p.TransactionReceipt(t.Context(), protocol.TxHash(tx.Hash()))
			switch {
			case third == nil && errors.Is(err, fault.ChainDisputed): // two prices, and no quorum
			case err != nil || r.EffectiveGasPrice == nil || r.EffectiveGasPrice.Cmp(price) != 0:
				t.Fatalf("%+v %v", r, err)
			case third != nil && !isDistrusted(p.remotes[0]):
				t.Error("the liar is not named")
			}
		})
	}
}

func isDistrusted(r *remote) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.quarantinedLocked(r.now())
}
