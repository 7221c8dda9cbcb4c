package endpoint

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/protocol"
)

// TransactionReceipt asks all endpoints, because one that is behind has none yet. A
// receipt counts when a quorum shows it, when others have the transaction in the same
// block and only lost its receipt, or when no other endpoint answers. The error is
// ethereum.NotFound when the endpoints that have the newest block have none, or only
// one that they do not bear out; when nobody can tell, or they contradict one
// another, a fault.
func (p *Pool) TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error) {
	s := search{op: "read a receipt"}
	said, err := lookAround(ctx, p, s, readReceipt(hash), "eth_getTransactionReceipt", hash)
	if err != nil {
		return nil, err
	}
	b := sortReceipts(single(said))
	best := b.best
	switch {
	case p.quorum() == 1, len(best) >= p.quorum() && !b.tied:
	case len(b.shown) > len(best):
		return nil, p.disputed(s.op, b.names())
	case len(b.absent) == 0:
	default:
		if err := p.corroborate(ctx, b); err != nil {
			return nil, err
		}
	}
	p.exposeReceipts(ctx, b)
	receipt := best[0].thing
	// What is read after this has to have seen the receipt's block.
	p.learn(protocol.L2Block(receipt.BlockNumber.Uint64()))
	return receipt, nil
}

// readReceipt reads the receipt of a transaction, nil for none.
func readReceipt(hash protocol.TxHash) func([]byte) (*types.Receipt, *failure) {
	return func(raw []byte) (*types.Receipt, *failure) {
		var receipt *types.Receipt
		if json.Unmarshal(raw, &receipt) != nil || receipt != nil && (receipt.TxHash != common.Hash(hash) || receipt.BlockNumber == nil || !receipt.BlockNumber.IsUint64()) {
			return nil, fail(garbage, "", "a receipt that is none")
		}
		return receipt, nil
	}
}

// receipts are what the endpoints showed: all receipts, the largest group of equal
// ones, and who has none.
type receipts struct {
	shown, best, absent []seen[types.Receipt]
	// tied: another group is as large, and tells something else.
	tied bool
}

func sortReceipts(said []seen[types.Receipt]) receipts {
	var out receipts
	for _, one := range said {
		if one.thing == nil {
			out.absent = append(out.absent, one)
		} else {
			out.shown = append(out.shown, one)
		}
	}
	for i, one := range out.shown {
		group := []seen[types.Receipt]{one}
		for j, other := range out.shown {
			// Who names no price bears out any, and is borne out by none.
			if i != j && sameReceipt(one.thing, other.thing) &&
				(one.thing.EffectiveGasPrice != nil || other.thing.EffectiveGasPrice == nil) {
				group = append(group, other)
			}
		}
		switch {
		case len(group) > len(out.best):
			out.best, out.tied = group, false
		case len(group) == len(out.best):
			out.tied = out.tied || !sameReceipt(one.thing, out.best[0].thing)
		}
	}
	return out
}

// names are the endpoints that showed a receipt.
func (r receipts) names() string {
	t := &tally[struct{}]{}
	for _, one := range r.shown {
		t.ballots = append(t.ballots, ballot[struct{}]{from: one.from})
	}
	return t.names()
}

// sameReceipt compares what two receipts say happened, and what it cost: a price that
// is not true makes redemptions look too expensive to go on.
func sameReceipt(a, b *types.Receipt) bool {
	if p, q := a.EffectiveGasPrice, b.EffectiveGasPrice; p != nil && q != nil && p.Cmp(q) != 0 {
		return false
	}
	if a.BlockHash != b.BlockHash || a.BlockNumber.Cmp(b.BlockNumber) != 0 || a.Status != b.Status ||
		a.GasUsed != b.GasUsed || len(a.Logs) != len(b.Logs) {
		return false
	}
	for i := range a.Logs {
		left, right := a.Logs[i], b.Logs[i]
		if left.Address != right.Address || fmt.Sprint(left.Topics) != fmt.Sprint(right.Topics) ||
			!sameBytes(left.Data, right.Data) {
			return false
		}
	}
	return true
}

// corroborate looks for the transaction at the endpoints that have no receipt of it.
// Those that have it in the receipt's block bear the receipt out. When too few do,
// the receipt is none yet, and one that shows it again while the others have its
// block without the transaction invented it.
func (p *Pool) corroborate(ctx context.Context, b receipts) error {
	receipt := b.best[0].thing
	bearing, denying := len(b.best), 0
	for _, a := range b.absent {
		switch place, err := a.from.placeOf(ctx, protocol.TxHash(receipt.TxHash)); {
		case err == nil && place == protocol.Hash(receipt.BlockHash):
			bearing++
		case err == nil && place.IsZero() && a.from.height() >= protocol.L2Block(receipt.BlockNumber.Uint64()):
			denying++
		}
	}
	if bearing >= p.quorum() {
		return nil
	}
	if denying >= p.quorum() && rest(ctx, nil, behindPause) {
		for _, one := range b.best {
			again, err := ask(ctx, one.from, one.from.timeout, readReceipt(protocol.TxHash(receipt.TxHash)),
				"eth_getTransactionReceipt", receipt.TxHash)
			if err == nil && again != nil && again.BlockHash == receipt.BlockHash && p.denied(ctx, b.absent, receipt) {
				p.distrust(one.from, "it showed a receipt of a transaction that is in no block")
			}
		}
	}
	return ethereum.NotFound
}

// denied reports whether a quorum still has the receipt's block without the
// transaction.
func (p *Pool) denied(ctx context.Context, by []seen[types.Receipt], receipt *types.Receipt) bool {
	n := 0
	for _, a := range by {
		place, err := a.from.placeOf(ctx, protocol.TxHash(receipt.TxHash))
		block, f := a.from.hashAt(ctx, protocol.L2Block(receipt.BlockNumber.Uint64()))
		if err == nil && f == nil && place.IsZero() && block == protocol.Hash(receipt.BlockHash) {
			n++
		}
		if err == nil && f == nil && block != protocol.Hash(receipt.BlockHash) {
			n++ // a block that the chain does not have
		}
	}
	return n >= p.quorum()
}

// exposeReceipts names the endpoints whose receipt tells something else of the same
// block than that of the quorum: no reorganisation explains that.
func (p *Pool) exposeReceipts(ctx context.Context, b receipts) {
	if len(b.best) < p.quorum() || p.quorum() == 1 {
		return
	}
	for _, one := range b.shown {
		if one.thing.BlockHash == b.best[0].thing.BlockHash && !sameReceipt(one.thing, b.best[0].thing) {
			p.distrust(one.from, "its receipt of a transaction is another than that of the other endpoints")
		}
	}
}

// placeOf is the block that the endpoint has a transaction in; zero for none.
func (r *remote) placeOf(ctx context.Context, hash protocol.TxHash) (protocol.Hash, error) {
	read := func(raw []byte) (protocol.Hash, *failure) {
		var tx *struct {
			Hash  common.Hash    `json:"hash"`
			Block *protocol.Hash `json:"blockHash"`
		}
		switch {
		case json.Unmarshal(raw, &tx) != nil, tx != nil && tx.Hash != common.Hash(hash):
			return protocol.Hash{}, fail(garbage, "", "a transaction that is none")
		case tx == nil || tx.Block == nil:
			return protocol.Hash{}, nil
		}
		return *tx.Block, nil
	}
	return ask(ctx, r, r.timeout, read, "eth_getTransactionByHash", hash)
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
	all, err := lookAround(ctx, p, s, read, "eth_getTransactionByHash", hash)
	if err != nil {
		return nil, false, err
	}
	for _, found := range all {
		if found.thing != nil {
			tx, mined = found.thing.tx, mined || found.thing.mined
		}
	}
	return tx, mined, nil
}
