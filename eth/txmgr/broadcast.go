package txmgr

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/eth/journal"
)

// write puts flights into the journal, with those they are heirs of. What is not
// written is not sent; it is tried again.
func (m *Manager) write(ctx context.Context, f *flight) bool {
	records := f.records()
	// The end of the node does not interrupt a write that has begun: what is on disk
	// must be known.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.opt.CallTimeout)
	defer cancel()
	err := m.opt.Journal.Put(ctx, records...)
	m.opt.Health.Report(health.Key{Code: fault.TxJournalFailed}, err)
	if err != nil {
		f.dirty = true
		m.lane.due(m.opt.Now().Add(retryAfter))
		return false
	}
	f.dirty = false
	if old := f.heirOf; old != nil {
		f.heirOf = nil
		m.end(old)
	}
	return true
}

// records are what goes into the journal together.
func (f *flight) records() []journal.Record {
	if f.heirOf == nil {
		return []journal.Record{f.rec}
	}
	old := f.heirOf.rec
	old.Settled = true
	return []journal.Record{old, f.rec}
}

// broadcast hands the newest attempt to the endpoints, or the one that a
// reorganisation undid.
func (m *Manager) broadcast(ctx context.Context, f *flight) {
	at := len(f.txs) - 1
	if f.prefer >= 0 && f.prefer < at {
		at = f.prefer
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	err := m.opt.Backend.SendTransaction(ctx, f.txs[at])
	got := outcomeOf(err)
	m.opt.Log.Debug("transaction handed out", "tx", f.rec.Attempts[at].Hash.String(), "action", f.rec.Call.Verb, "nonce", f.rec.Nonce, "err", err)
	m.took(ctx, f, got, err)
	m.answerAsync(f)
}

// took notes what the endpoints did, and when to hand it out again.
func (m *Manager) took(ctx context.Context, f *flight, got outcome, err error) {
	now := m.opt.Now()
	f.prefer, f.poor = -1, false
	f.nonceLow, f.nonceHigh = got == nonceUsed, got == nonceAhead
	switch got {
	case taken:
		f.tries = 0
	case poor:
		m.poorFlight(ctx, f)
	}
	f.noteRefusal(got, err, now)
	f.nextSend = now.Add(m.pause(f, got))
	m.lane.due(f.nextSend)
}

// noteRefusal remembers why every endpoint refuses it.
func (f *flight) noteRefusal(got outcome, err error, now time.Time) {
	if got != impossible && got != declined {
		f.refused = nil
		return
	}
	if f.refused == nil {
		f.refusedSince = now
	}
	f.refused, f.hopeless = err, got == impossible
}

// pause is how long until a transaction is handed out again.
func (m *Manager) pause(f *flight, got outcome) time.Duration {
	if got == taken {
		return m.opt.Rebroadcast
	}
	f.tries++
	return min(retryAfter<<min(f.tries-1, 10), m.opt.Rebroadcast)
}

// answerAsync tells those who only wanted it submitted.
func (m *Manager) answerAsync(f *flight) {
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
