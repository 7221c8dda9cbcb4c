package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// idleCheckEvery is the interval of the search for idle sessions.
const idleCheckEvery = 10 * time.Second

// refreshEvery is the interval of refreshes of stale devices between placements.
const refreshEvery = 250 * time.Millisecond

// Name returns the component's name.
func (p *Pool) Name() string { return "transcoder" }

// Run ends idle sessions until ctx ends, then closes the pool. To let segments in progress
// finish, call Drain first.
func (p *Pool) Run(ctx context.Context, ready func()) error {
	ready()
	ticker, settle := time.NewTicker(idleCheckEvery), time.NewTicker(refreshEvery)
	defer ticker.Stop()
	defer settle.Stop()
	for {
		select {
		case <-ctx.Done():
			return p.Close()
		case <-ticker.C:
			p.endIdleSessions()
		case <-settle.C:
			p.refreshStale()
		}
	}
}

// endIdleSessions ends the sessions without a segment for the network's idle time, one
// shard at a time, so that no segment waits long for a lock.
func (p *Pool) endIdleSessions() {
	since := time.Now().Add(-core.SessionIdle)
	for part := range p.sessions.parts {
		for _, id := range p.sessions.unused(part, since) {
			p.o.Log.Info("an idle session ends", "session", string(id))
			p.EndSession(id)
		}
	}
}

// refreshStale refreshes all stale devices, a few at a time, so that no placement waits
// long for the lock.
func (p *Pool) refreshStale() {
	for all := false; !all; {
		p.table.mu.Lock()
		all = p.refreshStaleLocked(maxRefreshes)
		p.table.mu.Unlock()
	}
}
