package orchestrate

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// sweepInterval is how often idle sessions and old results are removed.
const sweepInterval = time.Second

// Sweep ends the sessions without a segment for core.SessionIdle, drops expired renditions
// and artifacts, and updates the condition OrchestratorCapped. A session with a segment in
// progress is not idle.
func (o *Orchestrator) Sweep(now time.Time) {
	o.sweepSessions(now)
	o.results.Sweep(now)
	o.artifacts.Sweep(now)
	o.updateCappedCondition(now)
}

// sweepSessions ends the sessions that are idle at now. Every segment calls it, so it only
// looks at the sessions that it ends and one more.
func (o *Orchestrator) sweepSessions(now time.Time) {
	for _, id := range o.takeIdle(now) {
		o.endTranscoding(id)
		o.opt.Log.Info("session ended: no segments", "session", id, "code", fault.SessionCleanup)
	}
}

// takeIdle removes the sessions without a segment for core.SessionIdle and returns their
// ids.
func (o *Orchestrator) takeIdle(now time.Time) []core.SessionID {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []core.SessionID
	for e := o.idleSessions.Front(); e != nil; e = o.idleSessions.Front() {
		s := e.Value.(*session)
		if now.Sub(s.lastActivity) < core.SessionIdle {
			break
		}
		o.removeLocked(s)
		ids = append(ids, s.id)
	}
	if len(ids) > 0 {
		o.wakeLocked()
	}
	return ids
}

// openSegmentLocked counts one more open segment of a session.
func (o *Orchestrator) openSegmentLocked(s *session, now time.Time) {
	s.segmentArrivedLocked(now)
	s.openSegments++
	s.lastActivity = now
	o.removeIdleLocked(s)
}

// closeSegmentLocked undoes one openSegmentLocked. A session without open segments becomes
// the last of the idle ones.
func (o *Orchestrator) closeSegmentLocked(s *session, now time.Time) {
	s.openSegments--
	s.lastActivity = now
	// It may have been removed while the segment was open.
	if s.openSegments == 0 && o.sessions[s.id] == s {
		s.idle = o.idleSessions.PushBack(s)
	}
}

// removeIdleLocked removes a session from the idle ones, if it is there.
func (o *Orchestrator) removeIdleLocked(s *session) {
	if s.idle != nil {
		o.idleSessions.Remove(s.idle)
		s.idle = nil
	}
}

// endAll ends every session, even with open segments.
func (o *Orchestrator) endAll() {
	o.mu.Lock()
	ids := make([]core.SessionID, 0, len(o.sessions))
	for id, s := range o.sessions {
		o.removeLocked(s)
		ids = append(ids, id)
	}
	o.wakeLocked()
	o.mu.Unlock()
	for _, id := range ids {
		o.endTranscoding(id)
	}
}
