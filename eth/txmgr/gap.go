package txmgr

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/ethcall"
	"github.com/tuttinode/tutti/eth/journal"
)

// fillGap closes a hole between the chain's nonce and the front of the lane. It
// can only come from a foreign transaction that endpoints counted as pending and
// then lost, or from a reorganisation deeper than what counts as final. What is
// ours is sent again, the same bytes; a foreign place is filled with a cancel.
func (m *Manager) fillGap(ctx context.Context, head protocol.Head) {
	f := m.lane.front()
	if f == nil || f.dirty || head.Hash.IsZero() || !f.nonceHigh && !m.lingers(f) {
		return
	}
	if now := m.opt.Now(); now.Sub(m.lane.gapAt) >= m.opt.Rebroadcast {
		m.lane.gapAt = now
		from, err := m.expected(ctx)
		// One answer may come from an endpoint that is behind.
		again := err == nil && m.lane.gapFrom == from+1
		m.lane.gapFrom = from + 1
		for nonce := from; again && nonce < f.rec.Nonce && len(m.lane.open()) < 2*m.opt.InFlight; nonce++ {
			m.fill(ctx, nonce, head)
		}
	}
}

// lingers reports whether the front was handed out again and is still there. That
// is long before it is replaced: a higher fee closes no gap.
func (m *Manager) lingers(f *flight) bool {
	if f.frontSince.IsZero() {
		return false
	}
	at := f.frontSince.Add(m.opt.Rebroadcast)
	if m.opt.Now().Before(at) {
		m.lane.due(at)
		return false
	}
	return true
}

// expected is the nonce that the endpoints wait for.
func (m *Manager) expected(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	pending, err := m.opt.Backend.PendingNonceAt(ctx, m.account())
	if err != nil {
		return 0, err
	}
	mined, err := m.opt.Backend.NonceAt(ctx, m.account(), ethcall.Latest)
	return max(pending, mined), err
}

func (m *Manager) fill(ctx context.Context, nonce uint64, head protocol.Head) {
	for _, f := range m.lane.flights {
		if f.rec.Nonce == nonce {
			return
		}
	}
	if m.reopen(ctx, nonce) {
		return
	}
	tip, err := m.suggest(ctx)
	if err != nil {
		return
	}
	offer, fits := m.bounds().offer(head.BaseFee, tip)
	if !fits {
		return
	}
	c := cancel(m.self)
	now := m.opt.Now()
	f := &flight{prefer: -1, rec: journal.Record{
		ID: m.lane.lastID + 1, Nonce: nonce, Call: c, Gas: cancelGas, State: protocol.TxSubmitted, Sent: now, Update: now,
		Code: fault.ForeignTransaction, Reason: "it fills the place of another program's transaction that was lost",
	}}
	if err := m.sign(f, offer, true); err != nil {
		m.opt.Log.Error("gap not filled", "nonce", nonce, "err", err)
		return
	}
	m.opt.Log.Warn("gap in the account's transactions filled", "nonce", nonce)
	m.lane.add(f)
	if m.write(ctx, f) {
		m.broadcast(ctx, f)
	}
}

// reopen takes up a settled transaction that the chain lost.
func (m *Manager) reopen(ctx context.Context, nonce uint64) bool {
	for i, r := range m.lane.history {
		if r.Nonce != nonce || r.Mined == nil {
			continue
		}
		r.Settled, r.State, r.Code, r.Reason = false, protocol.TxSubmitted, "", ""
		at := r.Mined.Attempt
		r.Mined, r.Update = nil, m.opt.Now()
		f, err := restored(r)
		if err != nil {
			return false
		}
		f.prefer, f.dirty = at, true
		m.lane.history = append(m.lane.history[:i:i], m.lane.history[i+1:]...)
		m.lane.add(f)
		m.opt.Log.Warn("settled transaction is lost and sent again", "tx", f.view().Hash.String(), "action", r.Call.Verb, "nonce", nonce)
		if m.write(ctx, f) {
			m.broadcast(ctx, f)
		}
		return true
	}
	return false
}
