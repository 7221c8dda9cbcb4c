package endpoint

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

func signedTx(nonce uint64) *types.Transaction {
	key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{1}, 32))
	if err != nil {
		panic(err)
	}
	to := common.Address{9}
	return types.MustSignNewTx(key, types.LatestSignerForChainID(big.NewInt(42161)), &types.DynamicFeeTx{
		ChainID: big.NewInt(42161), Nonce: nonce, To: &to, Gas: 21000, GasFeeCap: big.NewInt(1e9), GasTipCap: new(big.Int),
	})
}

type rpcAnswer = func([]json.RawMessage) (any, map[string]any)

func says(code int, message string) rpcAnswer {
	return func([]json.RawMessage) (any, map[string]any) {
		return nil, map[string]any{"code": code, "message": message}
	}
}

func gives(result any) rpcAnswer {
	return func([]json.RawMessage) (any, map[string]any) { return result, nil }
}

func loses(w http.ResponseWriter, r *http.Request) bool {
	var one fakeRequest
	_ = json.NewDecoder(r.Body).Decode(&one)
	if one.Method != "eth_sendRawTransaction" {
		answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": one.ID,
			"result": map[string]any{"eth_chainId": "0xa4b1"}[one.Method]})
		_, _ = w.Write(answer)
		return true
	}
	conn, _, _ := http.NewResponseController(w).Hijack()
	_ = conn.Close()
	return true
}

func TestSendTransaction(t *testing.T) {
	t.Parallel()
	tx := signedTx(7)
	takes := gives(tx.Hash().Hex())
	lowNonce := says(-32000, "nonce too low: next nonce 8, tx nonce 7")
	tests := []struct {
		name string
		send []rpcAnswer // one per endpoint; nil loses the answer
		// known: an endpoint knows the transaction.
		known bool
		want  fault.Code
	}{
		{"one takes it", []rpcAnswer{says(-32000, "insufficient funds for gas * price + value"), takes, says(-32601, "no")},
			false, ""},
		{"already known", []rpcAnswer{says(-32000, "already known")}, false, ""},
		{"mined already", []rpcAnswer{lowNonce, lowNonce}, true, ""},
		{"nonce used", []rpcAnswer{lowNonce, says(-32000, "transaction underpriced")}, false, fault.TxNonceUsed},
		{"no funds", []rpcAnswer{says(-32000, "insufficient funds for gas * price + value: address 0x1")}, false,
			fault.TxFundsMissing},
		{"fee", []rpcAnswer{says(-32000, "max fee per gas less than block base fee: address 0x1")}, false, fault.TxFeeTooLow},
		{"gas", []rpcAnswer{says(-32000, "intrinsic gas too low: gas 1")}, false, fault.TxGasTooLow},
		{"other", []rpcAnswer{says(-32000, "transaction type not supported")}, false, fault.TxRefused},
		{"not known at all", []rpcAnswer{says(-32000, "unknown transaction type")}, false, fault.TxRefused},
		{"limited", []rpcAnswer{says(-32005, "limit exceeded")}, false, fault.ChainUnavailable},
		{"lost", []rpcAnswer{nil}, false, fault.TxOutcomeUnknown},
		{"lost and refused", []rpcAnswer{nil, says(-32000, "transaction underpriced")}, false, fault.TxOutcomeUnknown},
		{"lost and there", []rpcAnswer{nil, says(-32000, "transaction underpriced")}, true, ""},
		{"lost and taken", []rpcAnswer{nil, takes}, false, ""},
		{"another hash", []rpcAnswer{gives(common.Hash{1}.Hex())}, false, fault.TxOutcomeUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var nodes []*fakeNode
			for _, answer := range tt.send {
				n := newFakeNode(t)
				n.answers["eth_getTransactionByHash"] = gives(nil)
				if tt.known {
					n.answers["eth_getTransactionByHash"] = gives(tx)
				}
				if answer == nil {
					n.whole = loses
				} else {
					n.answers["eth_sendRawTransaction"] = answer
				}
				nodes = append(nodes, n)
			}
			p := poolOf(t, nil, nodes...)
			err := p.SendTransaction(t.Context(), tx)
			if tt.want == "" && err != nil || tt.want != "" && fault.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			for i, n := range nodes {
				if tt.send[i] != nil && n.count("eth_sendRawTransaction") != 1 {
					t.Errorf("endpoint %d was handed it %d times", i, n.count("eth_sendRawTransaction"))
				}
			}
		})
	}
}

func TestReceiptNeedsAQuorum(t *testing.T) {
	t.Parallel()
	hash := protocol.TxHash{5}
	receipt := func(block uint64) rpcAnswer {
		return gives(&types.Receipt{Type: 2, TxHash: common.Hash(hash), BlockNumber: new(big.Int).SetUint64(block),
			Logs: []*types.Log{}})
	}
	a, b, c := newFakeNode(t), newFakeNode(t), newFakeNode(t)
	p := poolOf(t, nil, a, b, c)
	for _, n := range []*fakeNode{a, b, c} {
		n.answers["eth_getTransactionReceipt"] = gives(nil)
	}
	if _, err := p.TransactionReceipt(t.Context(), hash); !errors.Is(err, ethereum.NotFound) {
		t.Fatalf("no endpoint has it: %v", err)
	}
	b.set(func() { b.answers["eth_getTransactionReceipt"] = receipt(900) })
	c.set(func() { c.answers["eth_getTransactionReceipt"] = receipt(905) })
	if _, err := p.TransactionReceipt(t.Context(), hash); !errors.Is(err, fault.ChainDisputed) {
		t.Fatalf("two receipts contradict one another: %v", err)
	}
	a.set(func() { a.answers["eth_getTransactionReceipt"] = receipt(905) })
	if r, err := p.TransactionReceipt(t.Context(), hash); err != nil || r.BlockNumber.Uint64() != 905 {
		t.Fatalf("%v, %v", r, err)
	}
	a.set(func() { a.answers["eth_getTransactionReceipt"] = gives(map[string]any{"blockNumber": "0x1"}) })
	b.Close()
	c.Close()
	if _, err := p.TransactionReceipt(t.Context(), hash); !errors.Is(err, fault.ChainUnavailable) {
		t.Fatalf("no endpoint answers: %v", err)
	}
}
