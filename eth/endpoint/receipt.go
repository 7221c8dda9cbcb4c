package endpoint

import (
	"context"
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/protocol"
)

// TransactionReceipt asks all endpoints, because one that is behind has none yet:
// of the receipts the one in the highest block counts. The error is
// ethereum.NotFound when an endpoint that has the newest block has none, and
// nobody else has one; when nobody can tell, a fault.
func (p *Pool) TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error) {
	read := func(raw []byte) (*types.Receipt, *failure) {
		var receipt *types.Receipt
		if json.Unmarshal(raw, &receipt) != nil || receipt != nil && (receipt.TxHash != common.Hash(hash) || receipt.BlockNumber == nil || !receipt.BlockNumber.IsUint64()) {
			return nil, fail(garbage, "", "a receipt that is none")
		}
		return receipt, nil
	}
	all, err := lookUp(ctx, p, search{op: "read a receipt"}, read, "eth_getTransactionReceipt", hash)
	if err != nil {
		return nil, err
	}
	var best *types.Receipt
	for _, r := range all {
		if best == nil || r.BlockNumber.Cmp(best.BlockNumber) > 0 {
			best = r
		}
	}
	// What is read after this has to have seen the receipt's block.
	p.learn(protocol.L2Block(best.BlockNumber.Uint64()))
	return best, nil
}

// minedTx is a transaction with the block it is in, if any.
type minedTx struct {
	tx    *types.Transaction
	mined bool
}

// TransactionByHash asks all endpoints for a transaction; mined tells that one of
// them has it in a block. The error is ethereum.NotFound only when every endpoint
// that takes requests and is not behind says that it has none: one that fails, or
// is slower than a request may be, might be the one that knows it.
func (p *Pool) TransactionByHash(ctx context.Context, hash protocol.TxHash) (tx *types.Transaction, mined bool, err error) {
	return p.transaction(ctx, search{op: "read a transaction", thorough: true}, hash)
}

func (p *Pool) transaction(ctx context.Context, s search, hash protocol.TxHash) (tx *types.Transaction, mined bool, err error) {
	read := func(raw []byte) (*minedTx, *failure) {
		if isNull(raw) {
			return nil, nil
		}
		var place struct {
			Block *string `json:"blockNumber"`
		}
		tx := new(types.Transaction)
		if json.Unmarshal(raw, tx) != nil || json.Unmarshal(raw, &place) != nil || tx.Hash() != common.Hash(hash) {
			return nil, fail(garbage, "", "a transaction that is none")
		}
		return &minedTx{tx, place.Block != nil}, nil
	}
	all, err := lookUp(ctx, p, s, read, "eth_getTransactionByHash", hash)
	if err != nil {
		return nil, false, err
	}
	for _, found := range all {
		tx, mined = found.tx, mined || found.mined
	}
	return tx, mined, nil
}
