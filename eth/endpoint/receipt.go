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

// TransactionReceipt asks all endpoints, because one that is behind has no receipt yet. A receipt counts when
// a quorum has it, when others have the transaction in the same block and only lost its receipt, or when no
// other endpoint answers. The error is ethereum.NotFound when the endpoints at the newest block have none, or
// when one has a receipt that they do not confirm; it is a fault when the question is open or the endpoints
// contradict each other.
func (p *Pool) TransactionReceipt(ctx context.Context, hash protocol.TxHash) (*types.Receipt, error) {
	s := lookup{op: "read a receipt"}
	answers, err := lookupAll(ctx, p, s, readReceipt(hash), "eth_getTransactionReceipt", hash)
	if err != nil {
		return nil, err
	}
	b := sortReceipts(onePerProvider(answers))
	best := b.best
	switch {
	case p.quorum() == 1, len(best) >= p.quorum() && !b.tied:
	case len(b.shown) > len(best):
		return nil, p.setDisputed(s.op, b.names())
	case len(b.absent) == 0:
	default:
		if err := p.corroborate(ctx, b); err != nil {
			return nil, err
		}
	}
	p.quarantineFalseReceipts(ctx, b)
	receipt := best[0].value
	// Later reads must have seen the receipt's block.
	p.learnHeight(protocol.L2Block(receipt.BlockNumber.Uint64()))
	return receipt, nil
}

// readReceipt reads the receipt of a transaction, nil for none.
func readReceipt(hash protocol.TxHash) func([]byte) (*types.Receipt, *failure) {
	return func(raw []byte) (*types.Receipt, *failure) {
		var receipt *types.Receipt
		if json.Unmarshal(raw, &receipt) != nil || receipt != nil && (receipt.TxHash != common.Hash(hash) ||
			receipt.BlockNumber == nil || !receipt.BlockNumber.IsUint64()) {
			return nil, fail(garbage, "", "a receipt that is none")
		}
		return receipt, nil
	}
}

// receipts are the endpoints' answers: all receipts, the largest group of equal ones, and the endpoints
// without one.
type receipts struct {
	shown, best, absent []sighting[types.Receipt]
	// tied: a different receipt has as many endpoints.
	tied bool
}

func sortReceipts(answers []sighting[types.Receipt]) receipts {
	var out receipts
	for _, one := range answers {
		if one.value == nil {
			out.absent = append(out.absent, one)
		} else {
			out.shown = append(out.shown, one)
		}
	}
	for i, one := range out.shown {
		group := []sighting[types.Receipt]{one}
		for j, other := range out.shown {
			// A receipt without a price confirms any, and none confirms it.
			if i != j && sameReceipt(one.value, other.value) &&
				(one.value.EffectiveGasPrice != nil || other.value.EffectiveGasPrice == nil) {
				group = append(group, other)
			}
		}
		switch {
		case len(group) > len(out.best):
			out.best, out.tied = group, false
		case len(group) == len(out.best):
			out.tied = out.tied || !sameReceipt(one.value, out.best[0].value)
		}
	}
	return out
}

// names returns the endpoints that have a receipt.
func (r receipts) names() string {
	t := &tally[struct{}]{}
	for _, one := range r.shown {
		t.ballots = append(t.ballots, ballot[struct{}]{from: one.from})
	}
	return t.names()
}

// sameReceipt compares the effects and the cost of two receipts. A false price would make redemptions look
// too expensive to continue.
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

// corroborate looks for the transaction at the endpoints without its receipt. Those that have it in the
// receipt's block confirm the receipt. When too few do, the receipt does not count yet; an endpoint that
// repeats it while the others have its block without the transaction invented it.
func (p *Pool) corroborate(ctx context.Context, b receipts) error {
	receipt := b.best[0].value
	bearing, denying := len(b.best), 0
	for _, a := range b.absent {
		switch in, err := a.from.blockOf(ctx, protocol.TxHash(receipt.TxHash)); {
		case err == nil && in == protocol.Hash(receipt.BlockHash):
			bearing++
		case err == nil && in.IsZero() && a.from.height() >= protocol.L2Block(receipt.BlockNumber.Uint64()):
			denying++
		}
	}
	if bearing >= p.quorum() {
		return nil
	}
	if denying >= p.quorum() && sleep(ctx, nil, behindPause) {
		for _, one := range b.best {
			again, err := ask(ctx, one.from, one.from.timeout, readReceipt(protocol.TxHash(receipt.TxHash)),
				"eth_getTransactionReceipt", receipt.TxHash)
			if err == nil && again != nil && again.BlockHash == receipt.BlockHash && p.quorumDenies(ctx, b.absent, receipt) {
				p.quarantine(one.from, "it showed a receipt of a transaction that is in no block")
			}
		}
	}
	return ethereum.NotFound
}

// quorumDenies reports whether a quorum still has the receipt's block without the transaction.
func (p *Pool) quorumDenies(ctx context.Context, by []sighting[types.Receipt], receipt *types.Receipt) bool {
	n := 0
	for _, a := range by {
		in, err := a.from.blockOf(ctx, protocol.TxHash(receipt.TxHash))
		block, f := a.from.hashAt(ctx, protocol.L2Block(receipt.BlockNumber.Uint64()))
		if err == nil && f == nil && in.IsZero() && block == protocol.Hash(receipt.BlockHash) {
			n++
		}
		if err == nil && f == nil && block != protocol.Hash(receipt.BlockHash) {
			n++ // a block that the chain does not have
		}
	}
	return n >= p.quorum()
}

// quarantineFalseReceipts quarantines the endpoints whose receipt differs from the quorum's for the same
// block: no reorg explains that.
func (p *Pool) quarantineFalseReceipts(ctx context.Context, b receipts) {
	if len(b.best) < p.quorum() || p.quorum() == 1 {
		return
	}
	for _, one := range b.shown {
		if one.value.BlockHash == b.best[0].value.BlockHash && !sameReceipt(one.value, b.best[0].value) {
			p.quarantine(one.from, "its receipt of a transaction differs from the other endpoints' receipt")
		}
	}
}

// blockOf returns the hash of the block that the endpoint has a transaction in; zero for none.
func (r *remote) blockOf(ctx context.Context, hash protocol.TxHash) (protocol.Hash, error) {
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

// minedTx is a transaction and whether it is in a block.
type minedTx struct {
	tx    *types.Transaction
	mined bool
}

// TransactionByHash asks all endpoints for a transaction; mined reports that one of them has it in a block.
// The error is ethereum.NotFound only when every endpoint that accepts requests and is not behind has none:
// one that fails or times out might be the one that has it.
func (p *Pool) TransactionByHash(ctx context.Context, hash protocol.TxHash) (tx *types.Transaction, mined bool,
	err error) {
	return p.transaction(ctx, lookup{op: "read a transaction", thorough: true}, hash)
}

func (p *Pool) transaction(ctx context.Context, s lookup, hash protocol.TxHash) (tx *types.Transaction, mined bool,
	err error) {
	read := func(raw []byte) (*minedTx, *failure) {
		if isNull(raw) {
			return nil, nil
		}
		var in struct {
			Block *string `json:"blockNumber"`
		}
		tx := new(types.Transaction)
		if json.Unmarshal(raw, tx) != nil || json.Unmarshal(raw, &in) != nil || tx.Hash() != common.Hash(hash) {
			return nil, fail(garbage, "", "a transaction that is none")
		}
		return &minedTx{tx, in.Block != nil}, nil
	}
	all, err := lookupAll(ctx, p, s, read, "eth_getTransactionByHash", hash)
	if err != nil {
		return nil, false, err
	}
	for _, found := range all {
		if found.value != nil {
			tx, mined = found.value.tx, mined || found.value.mined
		}
	}
	return tx, mined, nil
}
