package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// sweepEvery is how often forgotten sessions are looked for.
const sweepEvery = 10 * time.Second

// Name is the component's name.
func (p *Pool) Name() string { return "transcoder" }

// Run ends forgotten sessions until ctx ends, then closes the pool. Whoever
// wants running segments to finish drains the pool before.
func (p *Pool) Run(ctx context.Context, ready func()) error {
	ready()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return p.Close()
		case <-ticker.C:
			p.sweep()
		}
	}
}

// sweep ends sessions that have had no segment for the network's idle time.
func (p *Pool) sweep() {
	now := time.Now()
	var forgotten []core.SessionID
	p.mu.Lock()
	for id, s := range p.sessions {
		if now.Sub(s.used) > core.SessionIdle && s.inside == 0 {
			forgotten = append(forgotten, id)
		}
	}
	p.mu.Unlock()
	for _, id := range forgotten {
		p.o.Log.Info("a session had no segment for long and ends", "session", string(id))
		p.EndSession(id)
	}
}
