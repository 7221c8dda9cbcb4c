package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/protocol"
)

// lookGrace is how long the other endpoints have after one said something about
// a transaction.
const lookGrace = time.Second

// TransactionReceipt asks all endpoints, because one that is behind has none yet:
// of the receipts the one in the highest block counts. When none has it the error
// is ethereum.NotFound; when none answers, a fault.
func (p *Pool) TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error) {
	read := func(raw []byte) (*types.Receipt, *failure) {
		var receipt *types.Receipt
		if json.Unmarshal(raw, &receipt) != nil || receipt != nil && (receipt.TxHash != common.Hash(hash) || receipt.BlockNumber == nil || !receipt.BlockNumber.IsUint64()) {
			return nil, fail(garbage, "", "a receipt that is none")
		}
		return receipt, nil
	}
	all, err := lookUp(ctx, p, "read a receipt", read, "eth_getTransactionReceipt", hash)
	if err != nil {
		return nil, err
	}
	var best *types.Receipt
	for _, r := range all {
		if r != nil && (best == nil || r.BlockNumber.Cmp(best.BlockNumber) > 0) {
			best = r
		}
	}
	if best == nil {
		return nil, ethereum.NotFound
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
// them has it in a block. When none has it the error is ethereum.NotFound.
func (p *Pool) TransactionByHash(ctx context.Context, hash protocol.TxHash) (tx *types.Transaction, mined bool, err error) {
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
	all, err := lookUp(ctx, p, "read a transaction", read, "eth_getTransactionByHash", hash)
	if err != nil {
		return nil, false, err
	}
	for _, found := range all {
		if found != nil {
			tx, mined = found.tx, mined || found.mined
		}
	}
	if tx == nil {
		return nil, false, ethereum.NotFound
	}
	return tx, mined, nil
}

// lookUp asks all endpoints about one thing and returns what they gave, nil for
// those that do not have it. The error says that nobody answered.
func lookUp[T any](ctx context.Context, p *Pool, op string, parse func([]byte) (*T, *failure), method string, params ...any) ([]*T, error) {
	said := gather(ctx, p.admitted(), lookGrace, func(o outcome[*T]) bool { return o.err == nil }, func(ctx context.Context, r *remote) (*T, error) {
		return ask(ctx, r, r.timeout, parse, method, params...)
	})
	var found []*T
	var failures []*failure
	var answer error
	for _, o := range said {
		if f, ok := errors.AsType[*failure](o.err); ok {
			failures = append(failures, f)
		} else if o.err != nil {
			answer = o.err
		} else {
			found = append(found, o.value)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case answer != nil:
		return nil, answer
	}
	return nil, p.unanswered(op, failures)
}
