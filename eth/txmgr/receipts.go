package txmgr

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// checkReceipts reads the receipts of all transactions that are not settled.
func (m *Manager) checkReceipts(ctx context.Context, head protocol.Head) {
	m.nonces.checkedAt, m.nonces.checkedHead = m.opt.Now(), head.Hash
	var unseen []*pendingTx
	for _, f := range m.nonces.pending {
		if f.foreign {
			continue
		}
		at, receipt, err := m.receipt(ctx, f)
		switch {
		case err != nil:
			m.opt.Log.Debug("receipt not read", "tx", f.view().Hash.String(), "err", err)
		case receipt == nil:
			m.undone(f)
			unseen = append(unseen, f)
		default:
			m.recordReceipt(ctx, f, at, receipt, head)
		}
	}
	m.lookForForeign(ctx, head, unseen)
}

// receipt is that of any attempt in the chain. It is nil only when the endpoints have none.
func (m *Manager) receipt(ctx context.Context, f *pendingTx) (int, *types.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	for _, at := range f.order() {
		receipt, err := m.opt.Backend.TransactionReceipt(ctx, f.rec.Attempts[at].Hash)
		if errors.Is(err, ethereum.NotFound) || err == nil && receipt == nil {
			continue
		}
		if err == nil && receipt.BlockNumber == nil {
			err = errors.New("a receipt without a block")
		}
		return at, receipt, err
	}
	return 0, nil, nil
}

// order returns the order in which attempts are looked up: the one seen before, then the newest first.
func (f *pendingTx) order() []int {
	var out []int
	if f.rec.Mined != nil {
		out = append(out, f.rec.Mined.Attempt)
	}
	for at := len(f.rec.Attempts) - 1; at >= 0; at-- {
		if f.rec.Mined == nil || at != f.rec.Mined.Attempt {
			out = append(out, at)
		}
	}
	return out
}

// undone makes a transaction pending again whose block was undone.
func (m *Manager) undone(f *pendingTx) {
	if f.rec.Mined == nil {
		return
	}
	m.opt.Log.Info("transaction undone by a reorganization", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb,
		"block", uint64(f.rec.Mined.Block))
	f.prefer = f.rec.Mined.Attempt
	f.rec.Mined, f.rec.State, f.rec.Settled = nil, protocol.TxSubmitted, false
	if !f.canceling() {
		f.rec.Code, f.rec.Reason, f.cause = "", "", nil
	}
	f.rec.Update, f.dirty = m.opt.Now(), true
	f.nextSend, f.frontSince = m.opt.Now(), time.Time{}
}

// recordReceipt records the block of a transaction, and settles it when it is deep enough.
func (m *Manager) recordReceipt(ctx context.Context, f *pendingTx, at int, r *types.Receipt, head protocol.Head) {
	mined := JournalMined{
		Attempt: at, Block: protocol.L2Block(r.BlockNumber.Uint64()), Hash: protocol.Hash(r.BlockHash),
		GasUsed: protocol.Gas(r.GasUsed), At: m.opt.Now(),
	}
	if r.EffectiveGasPrice != nil {
		mined.Fee = weiOf(new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed)))
	}
	f.usedSince = time.Time{}
	if old := f.rec.Mined; old == nil || old.Attempt != at || old.Hash != mined.Hash {
		m.recordMined(ctx, f, mined, r)
	}
	if m.isFinal(f.rec.Mined, head) {
		m.markSettled(f)
	}
}

// recordMined records that a transaction is in a block for the first time, or in another one than before.
func (m *Manager) recordMined(ctx context.Context, f *pendingTx, mined JournalMined, r *types.Receipt) {
	f.rec.Mined, f.rec.Update, f.dirty = &mined, m.opt.Now(), true
	switch {
	case f.rec.Attempts[mined.Attempt].Cancel:
		f.rec.State = protocol.TxDropped
		if f.rec.Code == "" {
			f.rec.Code = fault.TxGivenUp
		}
	case r.Status == types.ReceiptStatusSuccessful:
		f.rec.State, f.rec.Code, f.rec.Reason, f.cause = protocol.TxMined, "", "", nil
	default:
		f.rec.State = protocol.TxFailed
		m.findRevertReason(ctx, f, mined)
	}
	m.opt.Log.Info("transaction mined", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "state",
		string(f.rec.State),
		"block", uint64(mined.Block), "fee", mined.Fee.String(), "code", string(f.rec.Code))
	if f.rec.State == protocol.TxMined {
		f.answer(nil)
		return
	}
	f.answer(f.failure())
}

// isFinal reports whether a transaction is final: enough blocks are on it, and it was seen there for long
// enough.
func (m *Manager) isFinal(p *JournalMined, head protocol.Head) bool {
	return head.Number >= p.Block+m.opt.Confirmations && m.opt.Now().Sub(p.At) >= m.opt.FinalAfter
}

// markSettled marks a record that will not change any more; settle removes it from the queue once that is on
// disk.
func (m *Manager) markSettled(f *pendingTx) {
	if f.rec.State == protocol.TxMined {
		f.rec.State = protocol.TxFinal
	}
	f.rec.Settled, f.rec.Update, f.dirty = true, m.opt.Now(), true
}

// findRevertReason finds the reason of a failure by repeating the call on the state before its block.
func (m *Manager) findRevertReason(ctx context.Context, f *pendingTx, mined JournalMined) {
	f.rec.Code, f.rec.Reason, f.cause = fault.TxReverted, "", nil
	if mined.GasUsed >= f.rec.Gas {
		f.rec.Reason = "all of its gas was used"
	}
	if mined.Block == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	_, err := m.opt.Backend.CallContract(ctx, m.message(f.rec.Call, f.rec.Gas), mined.Block-1)
	if err == nil {
		return
	}
	if reason, ok := m.opt.Decode(f.originalIntent(), err); ok {
		f.cause = reason
		f.rec.Code = fault.CodeOf(reason)
		_, f.rec.Reason = fault.Public(reason)
	}
}
