package endpoints

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// blockParam is where a method takes the block it is about.
func blockParam() map[string]int {
	return map[string]int{
		"eth_getBlockByNumber": 0, "eth_getBlockReceipts": 0, "eth_getBlockTransactionCountByNumber": 0,
		"eth_getTransactionByBlockNumberAndIndex": 0,
		"eth_getBalance": 1, "eth_getCode": 1, "eth_getTransactionCount": 1, "eth_call": 1, "eth_estimateGas": 1,
		"eth_feeHistory":       1,
		"eth_createAccessList": 1, "eth_getStorageAt": 2, "eth_getProof": 2,
	}
}

// view returns the newest block that the endpoint shows.
func (e *Endpoint) view(lag uint64) uint64 {
	head := e.node.Head().Number.Uint64()
	return head - min(lag, head)
}

// behind answers a request as the chain was some blocks ago.
func (e *Endpoint) behind(ctx context.Context, req request, lag uint64) (json.RawMessage, error) {
	head := e.view(lag)
	if at, ok := blockParam()[req.Method]; ok {
		return e.behindAt(ctx, req, at, head)
	}
	switch req.Method {
	case "eth_blockNumber":
		return json.Marshal(hexutil.Uint64(head))
	case "eth_getLogs":
		return e.behindLogs(ctx, req, head)
	}
	result, err := e.forward(ctx, req.Method, req.Params)
	if err == nil && numberOf(result) > head {
		return nil, nil // a block, a transaction or a receipt of the future
	}
	return result, err
}

// behindAt puts the endpoint's newest block where another is not named.
func (e *Endpoint) behindAt(ctx context.Context, req request, at int, head uint64) (json.RawMessage, error) {
	params := slices.Clone(req.Params)
	for len(params) <= at {
		params = append(params, json.RawMessage("null"))
	}
	pinned, beyond := pin(params[at], head)
	if params[at] = pinned; !beyond {
		return e.forward(ctx, req.Method, params)
	}
	switch req.Method {
	case "eth_getBlockByNumber", "eth_getBlockReceipts", "eth_getBlockTransactionCountByNumber",
		"eth_getTransactionByBlockNumberAndIndex":
		return nil, nil
	case "eth_feeHistory":
		return nil, &failure{Code: codeRefused, Message: "request beyond head block"}
	}
	return nil, &failure{Code: codeRefused, Message: noSuchHeader}
}

// pin turns a block tag into a number and reports whether the number is beyond the
// head. A block named by its hash stays.
func pin(param json.RawMessage, head uint64) (json.RawMessage, bool) {
	var number rpc.BlockNumber
	if string(param) == "null" {
		number = rpc.LatestBlockNumber
	} else if err := json.Unmarshal(param, &number); err != nil {
		return param, false
	}
	switch {
	case number == rpc.EarliestBlockNumber:
		return json.RawMessage(`"0x0"`), false
	case number < 0:
		pinned, _ := json.Marshal(hexutil.Uint64(head))
		return pinned, false
	}
	return param, uint64(number) > head
}

// behindLogs cuts a filter at the endpoint's newest block.
func (e *Endpoint) behindLogs(ctx context.Context, req request, head uint64) (json.RawMessage, error) {
	filter := make(map[string]json.RawMessage)
	if len(req.Params) == 0 || json.Unmarshal(req.Params[0], &filter) != nil {
		return e.forward(ctx, req.Method, req.Params)
	}
	if _, ok := filter["blockHash"]; ok {
		return e.forward(ctx, req.Method, req.Params)
	}
	var beyond bool
	if filter["fromBlock"], beyond = pin(orNull(filter["fromBlock"]), head); beyond {
		return json.RawMessage("[]"), nil
	}
	if filter["toBlock"], beyond = pin(orNull(filter["toBlock"]), head); beyond {
		filter["toBlock"], _ = json.Marshal(hexutil.Uint64(head))
	}
	cut, err := json.Marshal(filter)
	if err != nil {
		return nil, err
	}
	return e.forward(ctx, req.Method, []json.RawMessage{cut})
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// logRange returns how many blocks a request for logs is about.
func (e *Endpoint) logRange(req request) uint64 {
	var filter struct{ FromBlock, ToBlock, BlockHash json.RawMessage }
	if len(req.Params) == 0 || json.Unmarshal(req.Params[0], &filter) != nil || len(filter.BlockHash) > 0 {
		return 0
	}
	head := e.node.Head().Number.Uint64()
	from, to := number(orNull(filter.FromBlock), head), number(orNull(filter.ToBlock), head)
	if from > to {
		return 0
	}
	return to - from + 1
}

// number returns a block parameter's number.
func number(param json.RawMessage, head uint64) uint64 {
	pinned, _ := pin(param, head)
	var n hexutil.Uint64
	if json.Unmarshal(pinned, &n) != nil {
		return head
	}
	return uint64(n)
}

// numberOf returns the block that an object belongs to, 0 where it names none.
func numberOf(object json.RawMessage) uint64 {
	var members struct{ Number, BlockNumber *hexutil.Uint64 }
	if json.Unmarshal(object, &members) != nil {
		return 0
	}
	for _, n := range []*hexutil.Uint64{members.Number, members.BlockNumber} {
		if n != nil && uint64(*n) < math.MaxInt64 {
			return uint64(*n)
		}
	}
	return 0
}
