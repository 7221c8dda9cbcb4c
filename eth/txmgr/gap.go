package txmgr

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// fillGap closes a gap between the chain's nonce and the first pending transaction. It comes from a foreign
// transaction that endpoints counted as pending and then lost, or from a reorg deeper than what
// counts as final. Our own transaction is sent again, the same bytes; a foreign nonce is filled with a
// cancel.
func (m *Manager) fillGap(ctx context.Context, head protocol.Head) {
	f := m.nonces.front()
	if f == nil || f.dirty || head.Hash.IsZero() || f.answered != nonceAhead && !m.staysUnmined(f) {
		return
	}
	if now := m.opt.Now(); now.Sub(m.nonces.gapAt) >= m.opt.Rebroadcast {
		m.nonces.gapAt = now
		from, err := m.expectedNonce(ctx)
		if err == nil && m.outOfReach(f, from) {
			m.dropUnreachable(ctx, f, from)
			return
		}
		m.nonces.unreachableSince = time.Time{}
		// One answer may come from an endpoint that is behind.
		again := err == nil && m.nonces.gapFrom == from+1
		m.nonces.gapFrom = from + 1
		for nonce := from; again && nonce < f.rec.Nonce && len(m.nonces.open()) < 2*m.opt.InFlight; nonce++ {
			m.fillNonce(ctx, nonce, head)
		}
	}
}

// staysUnmined reports whether the front was broadcast again and is still not mined. That is long before it
// is replaced: a higher fee closes no gap.
func (m *Manager) staysUnmined(f *pendingTx) bool {
	if f.frontSince.IsZero() {
		return false
	}
	at := f.frontSince.Add(m.opt.Rebroadcast)
	if m.opt.Now().Before(at) {
		m.nonces.due(at)
		return false
	}
	return true
}

// expectedNonce returns the nonce that the endpoints wait for.
func (m *Manager) expectedNonce(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	pending, err := m.opt.Backend.PendingNonceAt(ctx, m.account())
	if err != nil {
		return 0, err
	}
	mined, err := m.opt.Backend.NonceAt(ctx, m.account(), contracts.Latest)
	return max(pending, mined), err
}

func (m *Manager) fillNonce(ctx context.Context, nonce uint64, head protocol.Head) {
	for _, f := range m.nonces.pending {
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
	f := &pendingTx{prefer: -1, rec: Record{
		ID: m.nonces.lastID + 1, Nonce: nonce, Call: c, Gas: cancelGas, State: protocol.TxSubmitted, Sent: now, Update: now,
		Code: fault.ForeignTransaction, Reason: "it fills the nonce of another program's lost transaction",
	}}
	if err := m.sign(f, offer, true); err != nil {
		m.opt.Log.Error("gap not filled", "nonce", nonce, "err", err)
		return
	}
	m.opt.Log.Warn("gap in the account's transactions filled", "nonce", nonce)
	m.nonces.add(f)
	if m.write(ctx, f) {
		m.broadcast(ctx, f)
	}
}

// reopenWanted is reopen for a transaction whose action is still wanted. It counts as resent: what endpoints say of it,
// which may be false, never makes its action be done a second time with another nonce.
func (m *Manager) reopenWanted(ctx context.Context, nonce uint64, head protocol.Head) {
	for i := range m.nonces.history {
		r := &m.nonces.history[i]
		if r.Nonce == nonce && r.canReopen() && !r.Attempts[r.Mined.Attempt].Cancel && !expired(r.Until, head) {
			r.Resent = true
			m.reopen(ctx, nonce)
			return
		}
	}
}

// canReopen reports whether a settled transaction is sent again when the chain lost it. One that failed is not: its
// caller may have done the action with another one since, and the second time it might not fail.
func (r *Record) canReopen() bool { return r.Mined != nil && r.State != protocol.TxFailed }

// reopen resumes a settled transaction that the chain lost.
func (m *Manager) reopen(ctx context.Context, nonce uint64) bool {
	for i, r := range m.nonces.history {
		if r.Nonce != nonce || !r.canReopen() {
			continue
		}
		r.Settled, r.State, r.Code, r.Reason = false, protocol.TxSubmitted, "", ""
		at := r.Mined.Attempt
		r.Mined, r.Update = nil, m.opt.Now()
		f, err := restorePending(r)
		if err != nil {
			return false
		}
		f.prefer, f.dirty = at, true
		m.nonces.history = append(m.nonces.history[:i:i], m.nonces.history[i+1:]...)
		m.nonces.add(f)
		m.opt.Log.Warn("settled transaction is lost and sent again", "tx", f.view().Hash.String(), "action", r.Call.Verb,
			"nonce", nonce)
		if m.write(ctx, f) {
			m.broadcast(ctx, f)
		}
		return true
	}
	return false
}
