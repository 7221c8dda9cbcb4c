package txmgr

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// retryAfter is the first back-off after a failure.
const retryAfter = 2 * time.Second

// decision is the result for a request in this pass.
type decision int

const (
	answered decision = iota // answered, or attached to a transaction
	waits                    // it waits in the queue, and others may pass
	sendable                 // it may be sent
	blocks                   // it waits in the queue, and so do all behind it
)

// serveQueue answers the requests that can be answered and sends, in their order, those that can be sent.
func (m *Manager) serveQueue(ctx context.Context, head protocol.Head) {
	held := false
	var keep []*request
	for _, r := range m.nonces.requests {
		v := m.decide(ctx, r, head)
		if v == sendable && !held {
			v = m.admit(ctx, r, head)
		}
		if v != answered {
			keep = append(keep, r)
		}
		held = held || v == blocks
	}
	m.nonces.requests = keep
}

// decide handles everything about a request but its sending.
func (m *Manager) decide(ctx context.Context, r *request, head protocol.Head) decision {
	if r.callerGone() {
		return answered
	}
	if v := m.follow(ctx, r); v != sendable {
		return v
	}
	if r.gas == 0 && r.resendOf == nil {
		r.reply(reply{free: true})
		return answered
	}
	if expired(r.opt.Until, head) {
		m.refuse(r, fault.New(fault.TxExpired, r.call.Verb, fmt.Sprintf("layer-1 block %d has passed", r.opt.Until)))
		return answered
	}
	return sendable
}

// expired reports whether the last useful layer-1 block has passed.
func expired(until protocol.L1Block, head protocol.Head) bool { return until != 0 && head.L1 > until }

// follow attaches a request to the transaction that already has its Once text.
func (m *Manager) follow(ctx context.Context, r *request) decision {
	if r.opt.Once == "" {
		return sendable
	}
	f := m.nonces.once(r.opt.Once)
	switch {
	case f == nil:
		return m.followEnded(ctx, r)
	case f.resend == r:
		return sendable
	case f.foreign:
		return waits
	case f.rec.Mined == nil:
		m.attach(f, r)
		return answered
	case f.rec.State == protocol.TxMined:
		r.id.Store(f.rec.ID)
		r.reply(reply{tx: f.view()})
		return answered
	}
	// It failed, but a reorg may still undo that. The text is free only afterwards.
	return waits
}

// followEnded answers with the text's earlier success, if there is one. Only the journal knows how old it may
// be; it is read once per Send.
func (m *Manager) followEnded(ctx context.Context, r *request) decision {
	rec, found := m.remembered(r.opt.Once)
	if !found && r.gas == 0 && r.resendOf == nil {
		var err error
		if rec, found, err = m.opt.Journal.Find(ctx, r.opt.Once); err != nil {
			r.reply(reply{err: err})
			return answered
		}
	}
	if !found || rec.State != protocol.TxFinal {
		return sendable
	}
	r.id.Store(rec.ID)
	r.reply(reply{tx: viewOf(rec)})
	return answered
}

// remembered returns the newest ended record with a text among the last ones.
func (m *Manager) remembered(once string) (Record, bool) {
	for i := len(m.nonces.history) - 1; i >= 0; i-- {
		if m.nonces.history[i].Once == once {
			return m.nonces.history[i], true
		}
	}
	return Record{}, false
}

// attach lets a request wait for a transaction, or answers it at once if it is asynchronous.
func (m *Manager) attach(f *pendingTx, r *request) {
	r.id.Store(f.rec.ID)
	if r.opt.Async && !f.dirty {
		r.reply(reply{tx: f.view()})
		return
	}
	f.waiters = append(f.waiters, r)
}

// refuse answers a request that is not sent. The transaction that it would resend ends with it.
func (m *Manager) refuse(r *request, err error) {
	r.reply(reply{err: err})
	for _, w := range r.waiters {
		w.reply(reply{err: err})
	}
	if old := r.resendOf; old != nil {
		old.resend = nil
		m.fail(old, err)
	}
}
