package txmgr

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// nonceQueue is the account's pending transactions by nonce, and the requests that wait for a nonce.
type nonceQueue struct {
	pending  []*pendingTx // not settled, by nonce
	requests []*request
	history  []Record // settled, by ID, at most JournalKept
	// lastID and nextNonce: no record has a larger ID, or this or a larger nonce.
	lastID, nextNonce uint64
	started           time.Time
	// identified: the records belong to the chain of the endpoints, or that cannot be checked.
	// genesisFailingSince is since when block 0 cannot be read although other blocks can.
	identified bool
	// outdated: the pending transactions are another chain's, the journal has this one's.
	outdated            bool
	genesisFailingSince time.Time
	// checkedAt is when receipts were last read, checkedHead the newest block then.
	checkedAt   time.Time
	checkedHead protocol.Hash
	// gapAt is when a gap was last searched, gapFrom the nonce after the one that the endpoints waited for then.
	gapAt   time.Time
	gapFrom uint64
	// unreachableSince is since when the first open transaction's nonce is out of reach.
	unreachableSince time.Time
	lost             lostSearch
	// next is when the next pass is due; zero for the next event.
	next     time.Time
	reported reportedConditions
	shortage shortage
}

// due schedules a pass at t or earlier.
func (l *nonceQueue) due(t time.Time) {
	if l.next.IsZero() || t.Before(l.next) {
		l.next = t
	}
}

// front returns the first transaction that is in no block: the others wait for it.
func (l *nonceQueue) front() *pendingTx {
	for _, f := range l.pending {
		if f.rec.Mined == nil && !f.foreign {
			return f
		}
	}
	return nil
}

// open returns the transactions that are in no block.
func (l *nonceQueue) open() (out []*pendingTx) {
	for _, f := range l.pending {
		if f.rec.Mined == nil && !f.foreign {
			out = append(out, f)
		}
	}
	return out
}

// add inserts a pending transaction by nonce.
func (l *nonceQueue) add(f *pendingTx) {
	l.pending = append(l.pending, f)
	slices.SortStableFunc(l.pending, func(a, b *pendingTx) int { return int(int64(a.rec.Nonce) - int64(b.rec.Nonce)) })
	l.lastID = max(l.lastID, f.rec.ID)
	l.countNonce(f.rec)
}

// once finds the newest pending transaction with a Once text.
func (l *nonceQueue) once(text string) *pendingTx {
	var found *pendingTx
	for _, f := range l.pending {
		if f.rec.Once == text && (found == nil || f.rec.ID > found.rec.ID) {
			found = f
		}
	}
	return found
}

// resume loads the journal.
func (m *Manager) resume(ctx context.Context) error {
	records, err := m.opt.Journal.Load(ctx)
	if err != nil {
		return err
	}
	l := &m.nonces
	l.started = m.opt.Now()
	l.lost = lostSearch{until: l.started.Add(lostSearchTime)}
	for _, r := range records {
		l.lastID = max(l.lastID, r.ID)
		l.countNonce(r)
		if r.Settled {
			l.history = append(l.history, r)
			continue
		}
		f, err := restorePending(r)
		if err != nil {
			return err
		}
		if p := f.rec.Mined; p != nil && p.At.After(l.started) {
			p.At = l.started // the clock was ahead
		}
		l.add(f)
		m.opt.Log.Info("transaction resumed", "tx", f.view().Hash.String(), "action", r.Call.Verb, "nonce", r.Nonce)
	}
	m.publish()
	return nil
}

// busy reports whether there is anything to do.
func (m *Manager) busy() bool {
	return len(m.nonces.pending) > 0 || len(m.nonces.requests) > 0 || m.isShort()
}

// pass does everything that is due. It is the only place from which the nonce queue changes.
func (m *Manager) pass(ctx context.Context) {
	m.nonces.next = time.Time{}
	m.takeInbox()
	if !m.identify(ctx) {
		return
	}
	m.beginLostSearch()
	if !m.busy() {
		m.findLost(ctx)
	}
	if !m.busy() {
		m.updateIdleConditions()
		return
	}
	m.nonces.due(m.opt.Now().Add(m.opt.Poll))
	head := m.freshHead(ctx)
	if m.checkDue(head) {
		m.checkReceipts(ctx, head)
	}
	m.settle(ctx)
	for _, f := range slices.Clone(m.nonces.pending) {
		m.advance(ctx, f, head)
	}
	m.fillGap(ctx, head)
	m.serveQueue(ctx, head)
	m.updateConditions(ctx, head)
	m.publish()
	if len(m.nonces.pending) == 0 && len(m.nonces.requests) == 0 && !m.isShort() {
		m.nonces.next = time.Time{}
	}
}

// freshHead returns the newest block, read from the backend when no head came for long. Its zero value means that
// no block is known.
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
		m.nonces.due(m.opt.Now().Add(retryAfter))
		return head
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.head, m.headAt = h, m.opt.Now()
	return h
}

// checkDue reports whether receipts are to be read: there is a new block, though not more often than Pace, or
// the last read was long ago.
func (m *Manager) checkDue(head protocol.Head) bool {
	since := m.opt.Now().Sub(m.nonces.checkedAt)
	if m.nonces.checkedAt.IsZero() || since >= m.opt.Poll {
		return true
	}
	if head.Hash == m.nonces.checkedHead {
		return false
	}
	if since >= m.opt.Pace {
		return true
	}
	m.nonces.due(m.nonces.checkedAt.Add(m.opt.Pace))
	return false
}

// publish stores the transactions for Transactions.
func (m *Manager) publish() {
	all := make([]protocol.Transaction, 0, len(m.nonces.history)+len(m.nonces.pending))
	for _, r := range m.nonces.history {
		all = append(all, viewOf(r))
	}
	for _, f := range m.nonces.pending {
		all = append(all, f.view())
	}
	slices.SortFunc(all, func(a, b protocol.Transaction) int { return int(int64(a.ID) - int64(b.ID)) })
	m.mu.Lock()
	m.shown = all
	m.mu.Unlock()
}
