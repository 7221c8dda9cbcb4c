package txmgr

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// write puts a pending transaction into the journal, together with the one that it resends. What is not
// written is not sent; it is tried again.
func (m *Manager) write(ctx context.Context, f *pendingTx) bool {
	records := f.records()
	// A shutdown does not interrupt a write in progress: the content of the disk must be known.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.opt.CallTimeout)
	defer cancel()
	err := m.opt.Journal.Put(ctx, records...)
	m.opt.Health.Report(health.Key{Code: fault.TxJournalFailed}, err)
	if err != nil {
		f.dirty = true
		m.nonces.due(m.opt.Now().Add(retryAfter))
		return false
	}
	f.dirty = false
	if old := f.resendOf; old != nil {
		f.resendOf = nil
		m.retire(old)
	}
	return true
}

// records returns what goes into the journal together.
func (f *pendingTx) records() []Record {
	if f.resendOf == nil {
		return []Record{f.rec}
	}
	old := f.resendOf.rec
	old.Settled = true
	return []Record{old, f.rec}
}

// broadcast sends the newest attempt to the endpoints, or the one that a reorg undid.
func (m *Manager) broadcast(ctx context.Context, f *pendingTx) {
	at := len(f.txs) - 1
	if f.prefer >= 0 && f.prefer < at {
		at = f.prefer
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	err := m.opt.Backend.SendTransaction(ctx, f.txs[at])
	got := outcomeOf(err)
	m.opt.Log.Debug("transaction broadcast", "tx", f.rec.Attempts[at].Hash.String(), "action", f.rec.Call.Verb, "nonce",
		f.rec.Nonce, "err", err)
	m.recordOutcome(ctx, f, got, err)
	m.answerAsync(f)
}

// recordOutcome records the endpoints' answer, and when to send again.
func (m *Manager) recordOutcome(ctx context.Context, f *pendingTx, got outcome, err error) {
	now := m.opt.Now()
	f.prefer, f.answered = -1, got
	switch got {
	case accepted:
		f.tries = 0
	case underfunded:
		m.onUnderfunded(ctx, f)
	}
	f.recordRefusal(got, err, now)
	f.nextSend = now.Add(m.pause(f, got))
	m.nonces.due(f.nextSend)
}

// recordRefusal records why every endpoint refuses it.
func (f *pendingTx) recordRefusal(got outcome, err error, now time.Time) {
	if got != impossible && got != declined {
		f.refusal = nil
		return
	}
	if f.refusal == nil {
		f.refusal = &refusal{since: now}
	}
	f.refusal.err, f.refusal.permanent = err, got == impossible
}

// pause returns the time until a transaction is sent again.
func (m *Manager) pause(f *pendingTx, got outcome) time.Duration {
	if got == accepted {
		return m.opt.Rebroadcast
	}
	f.tries++
	return min(retryAfter<<min(f.tries-1, 10), m.opt.Rebroadcast)
}

// answerAsync answers the requests that only wanted it submitted.
func (m *Manager) answerAsync(f *pendingTx) {
	var keep []*request
	for _, w := range f.waiters {
		if w.opt.Async {
			w.reply(reply{tx: f.view()})
			continue
		}
		keep = append(keep, w)
	}
	f.waiters = keep
}
