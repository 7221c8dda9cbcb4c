package endpoints

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/test/devnet/control"
)

// codeReverted is the JSON-RPC code of a revert that comes with its data.
const codeReverted = 3

// falseReply returns the answer of a lying endpoint: well-formed, and false.
func (e *Endpoint) falseReply(ctx context.Context, req request) (json.RawMessage, error, bool) {
	methods := []string{req.Method}
	switch req.Method {
	case "eth_call", "eth_estimateGas":
		return e.falseCallReply(ctx, req)
	case "eth_maxPriorityFeePerGas":
		f, ok := e.faults.happens(methods, control.FalseGas)
		result, err := quantity(new(big.Int).Mul(big.NewInt(1e9), new(big.Int).SetUint64(f.Factor)))
		return result, err, ok
	case "eth_getTransactionReceipt":
		f, ok := e.faults.happens(methods, control.FalseReceipts)
		if !ok {
			return nil, nil, false
		}
		result, err := e.falseReceipt(ctx, req, f)
		return result, err, true
	case "eth_blockNumber", "eth_getBlockByNumber":
		return e.falseHead(ctx, req)
	}
	return nil, nil, false
}

// falseCallReply returns what is false about calls and estimates.
func (e *Endpoint) falseCallReply(ctx context.Context, req request) (json.RawMessage, error, bool) {
	methods := []string{req.Method}
	meets := func(f control.Fault) bool { return strings.HasPrefix(calldata(req), strings.ToLower(f.Selector)) }
	if f, ok := e.faults.happensIf(methods, []control.Kind{control.FalseRevert}, meets); ok {
		return nil, reverted(f.Reason), true
	}
	if req.Method == "eth_call" {
		if f, ok := e.faults.happensIf(methods, []control.Kind{control.FalseAnswer}, meets); ok {
			result, err := json.Marshal(f.Data)
			return result, err, true
		}
	}
	params, beyond := e.withinChain(req)
	if f, ok := e.faults.happens(methods, control.FalseGas); ok && req.Method == "eth_estimateGas" {
		result, err := e.forward(ctx, req.Method, params)
		var gas hexutil.Uint64
		if err != nil || json.Unmarshal(result, &gas) != nil {
			return result, err, true
		}
		result, err = json.Marshal(gas * hexutil.Uint64(f.Factor))
		return result, err, true
	}
	if !beyond {
		return nil, nil, false
	}
	if _, ok := e.faults.happens(methods, control.FalseHeads); !ok {
		return nil, nil, false
	}
	result, err := e.forward(ctx, req.Method, params)
	return result, err, true
}

// withinChain names the newest block where one beyond it is named.
func (e *Endpoint) withinChain(req request) (params []json.RawMessage, beyond bool) {
	at := blockParam()[req.Method]
	if at >= len(req.Params) {
		return req.Params, false
	}
	if _, beyond = pin(req.Params[at], e.node.Head().Number.Uint64()); !beyond {
		return req.Params, false
	}
	params = slices.Clone(req.Params)
	params[at] = json.RawMessage(`"latest"`)
	return params, true
}

// calldata returns the input of a call, in lower case.
func calldata(req request) string {
	var call struct{ Input, Data string }
	if len(req.Params) == 0 || json.Unmarshal(req.Params[0], &call) != nil {
		return ""
	}
	return strings.ToLower(call.Input + call.Data)
}

// reverted returns the error of a revert with words.
func reverted(reason string) *failure {
	text, _ := abi.NewType("string", "", nil)
	packed, err := abi.Arguments{{Type: text}}.Pack(reason)
	if err != nil { // a string can always be packed
		return &failure{Code: codeReverted, Message: "execution reverted"}
	}
	data := append(crypto.Keccak256([]byte("Error(string)"))[:4], packed...)
	return &failure{Code: codeReverted, Message: "execution reverted: " + reason, Data: hexutil.Encode(data)}
}

// falseReceipt returns a receipt without logs, of the transaction's block or of the
// newest one.
func (e *Endpoint) falseReceipt(ctx context.Context, req request, f control.Fault) (json.RawMessage, error) {
	result, err := e.forward(ctx, req.Method, req.Params)
	if err != nil {
		return nil, err
	}
	var receipt map[string]any
	if json.Unmarshal(result, &receipt) != nil || receipt == nil {
		head := e.node.Head()
		receipt = map[string]any{
			"transactionHash": req.Params[0], "transactionIndex": "0x0", "blockHash": head.Hash(),
			"blockNumber":       hexutil.Uint64(head.Number.Uint64()),
			"cumulativeGasUsed": "0x5208", "gasUsed": "0x5208", "effectiveGasPrice": "0x1", "type": "0x2",
			"contractAddress": nil,
		}
	}
	receipt["logs"], receipt["logsBloom"] = []any{}, hexutil.Bytes(make([]byte, 256))
	receipt["status"] = "0x1"
	if f.Failed {
		receipt["status"] = "0x0"
	}
	return json.Marshal(receipt)
}

// falseHead returns a newest block that the chain does not have.
func (e *Endpoint) falseHead(ctx context.Context, req request) (json.RawMessage, error, bool) {
	head := e.node.Head().Number.Uint64()
	wanted := head
	if req.Method == "eth_getBlockByNumber" {
		if len(req.Params) == 0 {
			return nil, nil, false
		}
		tag, beyond := pin(req.Params[0], head)
		if wanted = number(tag, head); !beyond && wanted < head {
			return nil, nil, false
		}
	}
	f, ok := e.faults.happens([]string{req.Method}, control.FalseHeads)
	if !ok || wanted > head+f.Blocks {
		return nil, nil, false
	}
	if wanted == head {
		wanted += f.Blocks
	}
	if req.Method == "eth_blockNumber" {
		result, err := json.Marshal(hexutil.Uint64(wanted))
		return result, err, true
	}
	block, err := e.forward(ctx, req.Method, []json.RawMessage{json.RawMessage(`"latest"`), json.RawMessage("false")})
	if err == nil {
		block, err = forged(block, wanted, f)
	}
	return block, err, true
}

// forged returns a block with other numbers in it, under a hash that no block has.
func forged(block json.RawMessage, n uint64, f control.Fault) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(block, &members); err != nil {
		return nil, err
	}
	var l1 hexutil.Uint64
	var fee hexutil.Big
	if err := json.Unmarshal(members["l1BlockNumber"], &l1); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["baseFeePerGas"], &fee); err != nil {
		return nil, err
	}
	price := new(big.Int).Mul(fee.ToInt(), new(big.Int).SetUint64(max(f.Factor, 1)))
	for name, value := range map[string]any{
		"number": hexutil.Uint64(n), "l1BlockNumber": l1 + hexutil.Uint64(f.L1Blocks),
		"baseFeePerGas": (*hexutil.Big)(price),
		"hash":          forgedHash(n), "parentHash": forgedHash(n - 1),
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		members[name] = text
	}
	return json.Marshal(members)
}

func forgedHash(n uint64) common.Hash {
	return crypto.Keccak256Hash([]byte("forged"), binary.BigEndian.AppendUint64(nil, n))
}
