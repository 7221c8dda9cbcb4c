package manager

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/inference"
)

var _ inference.LongSlot = (*slot)(nil)

// idleLook is the interval between health requests to a runner that should become idle.
const idleLook = 250 * time.Millisecond

// life is the state of a runner that its work gets. The pool's mu guards it.
type life struct {
	// lost is closed when the runner fails; a runner that comes back gets another one.
	lost chan struct{}
	over bool
	// health is what it reported last; reportsIdle means that it was idle once.
	health      backend.Health
	reportsIdle bool
}

// revive begins the life of a runner that takes jobs, if the one before is over.
func (p *pool) revive(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.life.lost == nil || m.life.over {
		m.life.lost, m.life.over = make(chan struct{}), false
	}
}

// lifeOf is closed when a runner's present life ends.
func (p *pool) lifeOf(m *member) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return m.life.lost
}

// lose ends the life of a runner that has failed.
func (p *pool) lose(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.life.lost != nil && !m.life.over {
		m.life.over = true
		close(m.life.lost)
	}
}

// reported records a runner's health.
func (p *pool) reported(m *member, h backend.Health) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.life.health = h
	m.life.reportsIdle = m.life.reportsIdle || h == backend.Idle
}

// Lost is closed when the runner has failed: see inference.LongSlot.
func (s *slot) Lost() <-chan struct{} { return s.lost }

// Recheck has the runner probed: see inference.LongSlot.
func (s *slot) Recheck() { s.at.jobFailed() }

// AwaitIdle waits for an idle runner: see inference.LongSlot.
func (s *slot) AwaitIdle(ctx context.Context) {
	look := time.NewTicker(idleLook)
	defer look.Stop()
	for asked := false; ; asked = true {
		s.model.pool.mu.Lock()
		done := !s.at.life.reportsIdle || asked && s.at.life.health == backend.Idle
		if !asked {
			s.at.life.health = "" // what it reported before its work ended
		}
		s.model.pool.mu.Unlock()
		if done {
			return
		}
		poke(s.at.owner.askNow)
		select {
		case <-look.C:
		case <-s.lost:
			return
		case <-ctx.Done():
			return
		}
	}
}
