package endpoints

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// withL1 adds the member l1BlockNumber to a block or a header. The chain keeps the
// number in the mix digest.
func withL1(block json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(block, &members); err != nil || members == nil {
		return block, nil // null: there is no such block
	}
	var mix common.Hash
	if err := json.Unmarshal(members["mixHash"], &mix); err != nil {
		return nil, fmt.Errorf("a block without mix digest: %w", err)
	}
	members["l1BlockNumber"] = json.RawMessage(fmt.Sprintf(`"%#x"`, binary.BigEndian.Uint64(mix[8:16])))
	return json.Marshal(members)
}

// withoutPending asks for the newest block where the pending one is wanted: a
// sequencer that mines at once has no other. Nonces do count what is in the pool.
func withoutPending(req request) []json.RawMessage {
	at, ok := blockParam()[req.Method]
	if !ok || req.Method == "eth_getTransactionCount" || at >= len(req.Params) || string(req.Params[at]) != `"pending"` {
		return req.Params
	}
	params := slices.Clone(req.Params)
	params[at] = json.RawMessage(`"latest"`)
	return params
}

// nextFee corrects the last entry of a fee history, which Ethereum computes and
// Arbitrum sets.
func (e *Endpoint) nextFee(history json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	var oldest hexutil.Uint64
	var fees []json.RawMessage
	if err := json.Unmarshal(history, &members); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["oldestBlock"], &oldest); err != nil {
		return history, nil
	}
	if err := json.Unmarshal(members["baseFeePerGas"], &fees); err != nil || len(fees) == 0 {
		return history, nil
	}
	if uint64(oldest)+uint64(len(fees)-1) <= e.node.Head().Number.Uint64() {
		return history, nil
	}
	var err error
	if fees[len(fees)-1], err = quantity(e.node.BaseFee().Big()); err != nil {
		return nil, err
	}
	if members["baseFeePerGas"], err = json.Marshal(fees); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// send passes a transaction on, unless it pays too little for the next block, as
// Arbitrum's sequencer does, or is to be lost.
func (e *Endpoint) send(ctx context.Context, req request) (json.RawMessage, error) {
	tx, err := transaction(req.Params)
	if err != nil {
		return nil, err
	}
	if e.drops.take() {
		return json.Marshal(tx.Hash())
	}
	if fee := e.node.BaseFee(); tx.GasFeeCap().Cmp(fee.Big()) < 0 {
		from, _ := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
		return nil, &failure{Code: codeRefused, Message: fmt.Sprintf(
			"max fee per gas less than block base fee: address %v, maxFeePerGas: %v, baseFee: %v", from, tx.GasFeeCap(), fee)}
	}
	return e.forward(ctx, req.Method, req.Params)
}

func transaction(params []json.RawMessage) (*types.Transaction, error) {
	var raw hexutil.Bytes
	if len(params) == 0 {
		return nil, &failure{Code: codeParams, Message: "missing value for required argument 0"}
	}
	if err := json.Unmarshal(params[0], &raw); err != nil {
		return nil, &failure{Code: codeParams, Message: "invalid argument 0: " + err.Error()}
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, &failure{Code: codeRefused, Message: err.Error()}
	}
	return tx, nil
}
