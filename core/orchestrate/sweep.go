package orchestrate

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// sweepInterval is how often idle sessions and old renditions are looked for.
// It is the precision of their times.
const sweepInterval = time.Second

// Sweep ends the sessions that saw no segment for core.SessionIdle at now, and
// drops the renditions whose grace time is over, and old artifacts. A session with a segment in
// hand is not idle.
func (o *Orchestrator) Sweep(now time.Time) {
	idle := o.take(func(s *session) bool {
		return s.open == 0 && now.Sub(s.last) >= core.SessionIdle
	})
	for _, id := range idle {
		o.endTranscoding(id)
		o.opt.Log.Info("session ended: no segments", "session", id, "code", fault.SessionCleanup)
	}
	o.results.Sweep(now)
	o.artifacts.Sweep(now)
}

// endAll ends every session, whatever it is doing.
func (o *Orchestrator) endAll() {
	for _, id := range o.take(func(*session) bool { return true }) {
		o.endTranscoding(id)
	}
}

// take removes the sessions that which picks and returns their ids.
func (o *Orchestrator) take(which func(*session) bool) []core.SessionID {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []core.SessionID
	for id, s := range o.sessions {
		if which(s) {
			o.remove(s)
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		o.wake()
	}
	return ids
}
