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
	"github.com/tuttinode/tutti/eth/journal"
)

// lookAll asks the chain about every transaction that is not settled.
func (m *Manager) lookAll(ctx context.Context, head protocol.Head) {
	m.lane.looked, m.lane.lookedAt = m.opt.Now(), head.Hash
	var unseen []*flight
	for _, f := range m.lane.flights {
		if f.foreign {
			continue
		}
		at, receipt, err := m.receipt(ctx, f)
		switch {
		case err != nil:
			m.opt.Log.Debug("receipt not read", "tx", f.view().Hash.String(), "err", err)
		case receipt == nil:
			m.missing(f)
			unseen = append(unseen, f)
		default:
			m.found(ctx, f, at, receipt, head)
		}
	}
	m.lookForForeign(ctx, head, unseen)
}

// receipt is that of whichever attempt is in the chain. It is nil only when the
// endpoints know of none.
func (m *Manager) receipt(ctx context.Context, f *flight) (int, *types.Receipt, error) {
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

// order is that in which attempts are looked for: where one was seen, then the
// newest first.
func (f *flight) order() []int {
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

// missing puts a transaction whose block was undone back on its way.
func (m *Manager) missing(f *flight) {
	if f.rec.Mined == nil {
		return
	}
	m.opt.Log.Info("transaction undone by a reorganisation", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "block", uint64(f.rec.Mined.Block))
	f.prefer = f.rec.Mined.Attempt
	f.rec.Mined, f.rec.State, f.rec.Settled = nil, protocol.TxSubmitted, false
	if !f.cancelling() {
		f.rec.Code, f.rec.Reason, f.cause = "", "", nil
	}
	f.rec.Update, f.dirty = m.opt.Now(), true
	f.nextSend, f.frontSince = m.opt.Now(), time.Time{}
}

// found notes where a transaction is, and settles it when it is deep enough.
func (m *Manager) found(ctx context.Context, f *flight, at int, r *types.Receipt, head protocol.Head) {
	place := journal.Mined{
		Attempt: at, Block: protocol.L2Block(r.BlockNumber.Uint64()), Hash: protocol.Hash(r.BlockHash),
		GasUsed: protocol.Gas(r.GasUsed), At: m.opt.Now(),
	}
	if r.EffectiveGasPrice != nil {
		place.Fee = weiOf(new(big.Int).Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed)))
	}
	f.usedSince = time.Time{}
	if old := f.rec.Mined; old == nil || old.Attempt != at || old.Hash != place.Hash {
		m.arrived(ctx, f, place, r)
	}
	if m.deep(f.rec.Mined, head) {
		m.conclude(f)
	}
}

// arrived is a transaction that is in a block for the first time, or in another
// one than before.
func (m *Manager) arrived(ctx context.Context, f *flight, place journal.Mined, r *types.Receipt) {
	f.rec.Mined, f.rec.Update, f.dirty = &place, m.opt.Now(), true
	switch {
	case f.rec.Attempts[place.Attempt].Cancel:
		f.rec.State = protocol.TxDropped
		if f.rec.Code == "" {
			f.rec.Code = fault.TxGivenUp
		}
	case r.Status == types.ReceiptStatusSuccessful:
		f.rec.State, f.rec.Code, f.rec.Reason, f.cause = protocol.TxMined, "", "", nil
	default:
		f.rec.State = protocol.TxFailed
		m.explain(ctx, f, place)
	}
	m.opt.Log.Info("transaction mined", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "state", string(f.rec.State),
		"block", uint64(place.Block), "fee", place.Fee.String(), "code", string(f.rec.Code))
	if f.rec.State == protocol.TxMined {
		f.answer(nil)
		return
	}
	f.answer(f.failure())
}

// deep reports whether a place is final: enough blocks are on it, and it was seen
// there for long enough.
func (m *Manager) deep(p *journal.Mined, head protocol.Head) bool {
	return head.Number >= p.Block+m.opt.Confirmations && m.opt.Now().Sub(p.At) >= m.opt.FinalAfter
}

// conclude marks what does not change any more; settle takes it out of the lane
// when that is on disk.
func (m *Manager) conclude(f *flight) {
	if f.rec.State == protocol.TxMined {
		f.rec.State = protocol.TxFinal
	}
	f.rec.Settled, f.rec.Update, f.dirty = true, m.opt.Now(), true
}

// explain finds the reason of a failure by doing the same again where it failed:
// on the state before its block.
func (m *Manager) explain(ctx context.Context, f *flight, place journal.Mined) {
	f.rec.Code, f.rec.Reason, f.cause = fault.TxReverted, "", nil
	if place.GasUsed >= f.rec.Gas {
		f.rec.Reason = "all of its gas was used"
	}
	if place.Block == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	_, err := m.opt.Backend.CallContract(ctx, m.message(f.rec.Call, f.rec.Gas), place.Block-1)
	if err == nil {
		return
	}
	if reason, ok := m.opt.Decode(f.meant(), err); ok {
		f.cause = reason
		f.rec.Code = fault.CodeOf(reason)
		_, f.rec.Reason = fault.Public(reason)
	}
}
