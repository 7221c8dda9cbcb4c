package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// sweepEvery is how often forgotten sessions are looked for.
const sweepEvery = 10 * time.Second

// settleEvery is how often what segments have measured is looked at while no session
// comes.
const settleEvery = 250 * time.Millisecond

// Name is the component's name.
func (p *Pool) Name() string { return "transcoder" }

// Run ends forgotten sessions until ctx ends, then closes the pool. Whoever
// wants running segments to finish drains the pool before.
func (p *Pool) Run(ctx context.Context, ready func()) error {
	ready()
	ticker, settle := time.NewTicker(sweepEvery), time.NewTicker(settleEvery)
	defer ticker.Stop()
	defer settle.Stop()
	for {
		select {
		case <-ctx.Done():
			return p.Close()
		case <-ticker.C:
			p.sweep()
		case <-settle.C:
			p.settle()
		}
	}
}

// sweep ends sessions that have had no segment for the network's idle time, a part
// of them at a time so that no segment waits for it.
func (p *Pool) sweep() {
	since := time.Now().Add(-core.SessionIdle)
	for part := range p.sessions.parts {
		for _, id := range p.sessions.unused(part, since) {
			p.o.Log.Info("a session had no segment for long and ends", "session", string(id))
			p.EndSession(id)
		}
	}
}

// settle looks at all devices that segments have touched, a few at a time so that no
// placement waits for it.
func (p *Pool) settle() {
	for all := false; !all; {
		p.table.mu.Lock()
		all = p.catchUp(looks)
		p.table.mu.Unlock()
	}
}
