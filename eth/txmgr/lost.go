package txmgr

import (
	"context"
	"time"
)

// lostSearchTime is for how long after a start or a reorganization settled transactions are compared with the chain's
// nonce: endpoints may be behind.
const lostSearchTime = 5 * time.Minute

// lostSearch is the search for settled transactions that the chain lost. Without pending ones no gap shows them.
type lostSearch struct {
	// until is when it ends, next when the nonce is read again.
	until, next time.Time
	// from is the nonce after the one that the endpoints waited for the last time, 0 if none was missing.
	from uint64
}

// OnReorganized reports that blocks were undone. It does not block.
func (m *Manager) OnReorganized() {
	m.mu.Lock()
	m.reorganized = true
	m.mu.Unlock()
	m.wakeRun()
}

// beginLostSearch begins the search after a reorganization.
func (m *Manager) beginLostSearch() {
	m.mu.Lock()
	begin := m.reorganized
	m.reorganized = false
	m.mu.Unlock()
	if now := m.opt.Now(); begin {
		m.nonces.lost = lostSearch{until: now.Add(lostSearchTime), next: now}
	}
}

// findLost sends settled transactions again whose nonces the chain expects: a reorganization deeper than what counts
// as final undid them. It does so only while nothing is pending; fillGap does otherwise. Two answers are needed, as one
// may come from an endpoint that is behind; where both are wrong, the same bytes are sent a second time, which does no
// harm.
func (m *Manager) findLost(ctx context.Context) {
	now, s := m.opt.Now(), &m.nonces.lost
	if !now.Before(s.until) || len(m.nonces.history) == 0 {
		return
	}
	if now.Before(s.next) {
		m.nonces.due(s.next)
		return
	}
	s.next = now.Add(m.opt.Rebroadcast)
	m.nonces.due(s.next)
	from, err := m.expectedNonce(ctx)
	if err != nil || from >= m.nonces.nextNonce {
		s.from = 0
		return
	}
	again := s.from == from+1
	s.from = from + 1
	if !again {
		return
	}
	head := m.freshHead(ctx)
	for nonce := from; nonce < m.nonces.nextNonce && len(m.nonces.open()) < 2*m.opt.InFlight; nonce++ {
		m.reopenWanted(ctx, nonce, head)
	}
}
