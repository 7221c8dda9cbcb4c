package txmgr

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

const (
	// maxForeign is how many transactions of other programs may be pending for the account. A nonce that is further
	// above the chain's is a false answer of an endpoint: to fill all nonces below it would cost more than any action.
	maxForeign = 64
	// maxNonce is more than any account has.
	maxNonce = 1 << 48
	// unreachablePeriods is for how many times ForeignAfter a nonce has to be out of reach before its transaction ends.
	unreachablePeriods = 5
)

// nonce returns the next free one. A nonce in the journal is never given again, even if a lagging endpoint has not
// seen it yet; later ones that endpoints report belong to foreign transactions, of which there are few. An error means
// that none can be given now.
func (m *Manager) nonce(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	pending, err := m.opt.Backend.PendingNonceAt(ctx, m.account())
	if err != nil {
		return 0, err
	}
	next := m.nonces.nextNonce
	if pending <= next {
		if f := m.nonces.front(); f != nil && m.outOfReach(f, pending) {
			return 0, implausible(next, pending)
		}
		return next, nil
	}
	mined, err := m.opt.Backend.NonceAt(ctx, m.account(), contracts.Latest)
	if err != nil {
		return 0, err
	}
	if pending > max(mined, next)+maxForeign || pending > maxNonce {
		return 0, implausible(pending, mined)
	}
	return pending, nil
}

func implausible(nonce, chain uint64) error {
	return fault.New(fault.ChainDisputed, "choose a nonce", fmt.Sprintf("%d is too far above the chain's, which is %d",
		nonce, chain))
}

// outOfReach reports whether so many nonces are missing between the chain's and a transaction's that no program can
// have used them: an endpoint gave a false answer when it was signed. Transactions of this node in blocks show that a
// low answer is the false one.
func (m *Manager) outOfReach(f *pendingTx, chain uint64) bool {
	for _, r := range m.nonces.history {
		if r.Mined != nil {
			chain = max(chain, r.Nonce+1)
		}
	}
	for _, o := range m.nonces.pending {
		if o.rec.Mined != nil {
			chain = max(chain, o.rec.Nonce+1)
		}
	}
	return f.rec.Nonce > chain+maxForeign
}

// dropUnreachable ends the transactions from f on once their nonces were out of reach for long enough, so that their
// actions can be done again with nonces that can be mined. f is the first that is in no block.
func (m *Manager) dropUnreachable(ctx context.Context, f *pendingTx, chain uint64) {
	now, q := m.opt.Now(), &m.nonces
	if q.unreachableSince.IsZero() {
		q.unreachableSince = now
		m.opt.Log.Warn("transaction has a nonce that the account does not reach", "tx", f.view().Hash.String(), "nonce",
			f.rec.Nonce, "expected", chain)
	}
	if over := q.unreachableSince.Add(unreachablePeriods * m.opt.ForeignAfter); now.Before(over) {
		q.due(over)
		return
	}
	open := q.open()
	for _, o := range open {
		if !m.noTrace(ctx, o) {
			return
		}
	}
	q.unreachableSince = time.Time{}
	for _, o := range open {
		o.rec.Code, o.cause = fault.TxStuck, nil
		o.rec.Reason = fmt.Sprintf("nonce %d is out of reach, the account's is %d", o.rec.Nonce, chain)
		m.opt.Log.Warn("transaction ended: its nonce is out of reach", "tx", o.view().Hash.String(), "action",
			o.rec.Call.Verb, "nonce", o.rec.Nonce)
		m.fail(o, o.failure())
	}
	q.nextNonce = 0
	for _, r := range q.history {
		q.countNonce(r)
	}
	for _, o := range q.pending {
		q.countNonce(o.rec)
	}
}

// countNonce counts a record's nonce as used, unless it was out of reach.
func (l *nonceQueue) countNonce(r Record) {
	if r.Settled && r.Mined == nil && r.State == protocol.TxDropped && r.Code == fault.TxStuck {
		return
	}
	l.nextNonce = max(l.nextNonce, r.Nonce+1)
}
