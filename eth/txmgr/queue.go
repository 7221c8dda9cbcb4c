package txmgr

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/journal"
)

// retryAfter is the first pause before something that failed is tried again.
const retryAfter = 2 * time.Second

// verdict is what becomes of a request in this pass.
type verdict int

const (
	served verdict = iota // answered, or it waits for a transaction
	stays                 // it waits in the queue, and others may pass
	free                  // nothing speaks against sending
	holds                 // it waits in the queue, and so do all behind it
)

// serveQueue answers the requests that can be answered and sends, in their order,
// those that can be sent.
func (m *Manager) serveQueue(ctx context.Context, head protocol.Head) {
	held := false
	var keep []*request
	for _, r := range m.lane.queue {
		v := m.judge(ctx, r, head)
		if v == free && !held {
			v = m.admit(ctx, r, head)
		}
		if v != served {
			keep = append(keep, r)
		}
		held = held || v == holds
	}
	m.lane.queue = keep
}

// judge does with a request what needs no sending.
func (m *Manager) judge(ctx context.Context, r *request, head protocol.Head) verdict {
	if r.gone() {
		return served
	}
	if v := m.follow(ctx, r); v != free {
		return v
	}
	if r.gas == 0 && r.heirOf == nil {
		r.reply(reply{free: true})
		return served
	}
	if expired(r.opt.Until, head) {
		m.refuse(r, fault.New(fault.TxExpired, r.call.Verb, fmt.Sprintf("layer-1 block %d has passed", r.opt.Until)))
		return served
	}
	return free
}

// expired reports whether the last layer-1 block that makes sense has passed.
func expired(until protocol.L1Block, head protocol.Head) bool { return until != 0 && head.L1 > until }

// follow ties a request to the transaction that its Once text has already.
func (m *Manager) follow(ctx context.Context, r *request) verdict {
	if r.opt.Once == "" {
		return free
	}
	f := m.lane.once(r.opt.Once)
	switch {
	case f == nil:
		return m.followEnded(ctx, r)
	case f.heir == r:
		return free
	case f.foreign:
		return stays
	case f.rec.Mined == nil:
		m.attach(f, r)
		return served
	case f.rec.State == protocol.TxMined:
		r.id.Store(f.rec.ID)
		r.reply(reply{tx: f.view()})
		return served
	}
	// It failed, and a reorganisation may still undo that. The text is free when it
	// cannot any more.
	return stays
}

// followEnded answers with the success that the text had, if it had one. How old
// it may be only the journal knows; it is asked once per Send.
func (m *Manager) followEnded(ctx context.Context, r *request) verdict {
	rec, found := m.remembered(r.opt.Once)
	if !found && r.gas == 0 && r.heirOf == nil {
		var err error
		if rec, found, err = m.opt.Journal.Find(ctx, r.opt.Once); err != nil {
			r.reply(reply{err: err})
			return served
		}
	}
	if !found || rec.State != protocol.TxFinal {
		return free
	}
	r.id.Store(rec.ID)
	r.reply(reply{tx: viewOf(rec)})
	return served
}

// remembered is the newest ended record with a text among the last ones.
func (m *Manager) remembered(once string) (journal.Record, bool) {
	for i := len(m.lane.history) - 1; i >= 0; i-- {
		if m.lane.history[i].Once == once {
			return m.lane.history[i], true
		}
	}
	return journal.Record{}, false
}

// attach has a request wait for a transaction, or for none if it does not want to.
func (m *Manager) attach(f *flight, r *request) {
	r.id.Store(f.rec.ID)
	if r.opt.Async && !f.dirty {
		r.reply(reply{tx: f.view()})
		return
	}
	f.waiters = append(f.waiters, r)
}

// refuse answers a request that is not sent. What it was the heir of ends with it.
func (m *Manager) refuse(r *request, err error) {
	r.reply(reply{err: err})
	for _, w := range r.waiters {
		w.reply(reply{err: err})
	}
	if old := r.heirOf; old != nil {
		old.heir = nil
		m.fail(old, err)
	}
}
