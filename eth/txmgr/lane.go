package txmgr

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/journal"
)

// lane is the account's line of nonces, with what waits to get into it.
type lane struct {
	flights []*flight // not settled, by nonce
	queue   []*request
	history []journal.Record // settled, by ID, at most journal.Kept
	// lastID and nextNonce: no record has a larger ID, or this nonce or a larger one.
	lastID, nextNonce uint64
	started           time.Time
	// identified: the records are those of the chain that the endpoints have, or
	// that cannot be told. unnamedSince is since when block 0 cannot be read though
	// other blocks can.
	identified bool
	// outdated: the flights are another chain's, the journal has this one's.
	outdated     bool
	unnamedSince time.Time
	// looked is when the chain was asked last, lookedAt the block that was newest.
	looked   time.Time
	lookedAt protocol.Hash
	// gapAt is when a gap was looked for last, gapFrom the nonce after the one that
	// the endpoints waited for then.
	gapAt   time.Time
	gapFrom uint64
	// next is when the next pass is due; zero for when something happens.
	next  time.Time
	told  told
	money shortage
}

// due asks for a pass at t or earlier.
func (l *lane) due(t time.Time) {
	if l.next.IsZero() || t.Before(l.next) {
		l.next = t
	}
}

// front is the first transaction that is in no block: the others wait for it.
func (l *lane) front() *flight {
	for _, f := range l.flights {
		if f.rec.Mined == nil && !f.foreign {
			return f
		}
	}
	return nil
}

// open are the transactions that are in no block.
func (l *lane) open() (out []*flight) {
	for _, f := range l.flights {
		if f.rec.Mined == nil && !f.foreign {
			out = append(out, f)
		}
	}
	return out
}

// add puts a flight in its place.
func (l *lane) add(f *flight) {
	l.flights = append(l.flights, f)
	slices.SortStableFunc(l.flights, func(a, b *flight) int { return int(int64(a.rec.Nonce) - int64(b.rec.Nonce)) })
	l.lastID = max(l.lastID, f.rec.ID)
	l.nextNonce = max(l.nextNonce, f.rec.Nonce+1)
}

// once finds the flight that a Once text belongs to: the newest.
func (l *lane) once(text string) *flight {
	var found *flight
	for _, f := range l.flights {
		if f.rec.Once == text && (found == nil || f.rec.ID > found.rec.ID) {
			found = f
		}
	}
	return found
}

// resume takes up what the journal holds.
func (m *Manager) resume(ctx context.Context) error {
	records, err := m.opt.Journal.Load(ctx)
	if err != nil {
		return err
	}
	l := &m.lane
	l.started = m.opt.Now()
	for _, r := range records {
		l.lastID = max(l.lastID, r.ID)
		l.nextNonce = max(l.nextNonce, r.Nonce+1)
		if r.Settled {
			l.history = append(l.history, r)
			continue
		}
		f, err := restored(r)
		if err != nil {
			return err
		}
		l.add(f)
		m.opt.Log.Info("transaction resumed", "tx", f.view().Hash.String(), "action", r.Call.Verb, "nonce", r.Nonce)
	}
	m.publish()
	return nil
}

// busy reports whether anything is to be done.
func (m *Manager) busy() bool {
	return len(m.lane.flights) > 0 || len(m.lane.queue) > 0 || m.short()
}

// pass does what is due. It is the only place from which the lane changes.
func (m *Manager) pass(ctx context.Context) {
	m.lane.next = time.Time{}
	m.takeInbox()
	if !m.identify(ctx) {
		return
	}
	if !m.busy() {
		m.quiet()
		return
	}
	m.lane.due(m.opt.Now().Add(m.opt.Poll))
	head := m.freshHead(ctx)
	if m.lookDue(head) {
		m.lookAll(ctx, head)
	}
	m.settle(ctx)
	for _, f := range slices.Clone(m.lane.flights) {
		m.push(ctx, f, head)
	}
	m.fillGap(ctx, head)
	m.serveQueue(ctx, head)
	m.weigh(ctx, head)
	m.publish()
	if len(m.lane.flights) == 0 && len(m.lane.queue) == 0 && !m.short() {
		m.lane.next = time.Time{}
	}
}

// freshHead is the newest block, asked for when none was told for long. Its zero
// value means that no block is known.
func (m *Manager) freshHead(ctx context.Context) protocol.Head {
	m.mu.Lock()
	head, at := m.head, m.headAt
	m.mu.Unlock()
	if !at.IsZero() && m.opt.Now().Sub(at) < m.opt.Poll {
		return head
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	h, err := m.opt.Backend.Head(ctx)
	if err != nil {
		m.lane.due(m.opt.Now().Add(retryAfter))
		return head
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.head, m.headAt = h, m.opt.Now()
	return h
}

// lookDue reports whether the chain is to be asked: there is a new block, though
// not faster than Pace, or nothing was asked for long.
func (m *Manager) lookDue(head protocol.Head) bool {
	since := m.opt.Now().Sub(m.lane.looked)
	if m.lane.looked.IsZero() || since >= m.opt.Poll {
		return true
	}
	if head.Hash == m.lane.lookedAt {
		return false
	}
	if since >= m.opt.Pace {
		return true
	}
	m.lane.due(m.lane.looked.Add(m.opt.Pace))
	return false
}

// publish shows the lane to Transactions.
func (m *Manager) publish() {
	all := make([]protocol.Transaction, 0, len(m.lane.history)+len(m.lane.flights))
	for _, r := range m.lane.history {
		all = append(all, viewOf(r))
	}
	for _, f := range m.lane.flights {
		all = append(all, f.view())
	}
	slices.SortFunc(all, func(a, b protocol.Transaction) int { return int(int64(a.ID) - int64(b.ID)) })
	m.mu.Lock()
	m.shown = all
	m.mu.Unlock()
}
