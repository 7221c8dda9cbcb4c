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
// hand is not idle. The board hears whether gateways are refused for want of room.
func (o *Orchestrator) Sweep(now time.Time) {
	o.sweepSessions(now)
	o.results.Sweep(now)
	o.artifacts.Sweep(now)
	o.judgeRoom(now)
}

// sweepSessions ends the sessions that are idle at now. It looks at those that it
// ends and at one more, however many there are: every segment begins with it.
func (o *Orchestrator) sweepSessions(now time.Time) {
	for _, id := range o.takeIdle(now) {
		o.endTranscoding(id)
		o.opt.Log.Info("session ended: no segments", "session", id, "code", fault.SessionCleanup)
	}
}

// takeIdle removes the sessions without a segment for core.SessionIdle and returns
// their ids.
func (o *Orchestrator) takeIdle(now time.Time) []core.SessionID {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []core.SessionID
	for e := o.idle.Front(); e != nil; e = o.idle.Front() {
		s := e.Value.(*session)
		if now.Sub(s.last) < core.SessionIdle {
			break
		}
		o.remove(s)
		ids = append(ids, s.id)
	}
	if len(ids) > 0 {
		o.wake()
	}
	return ids
}

// hold notes that a session has one more segment open. The caller holds mu.
func (o *Orchestrator) hold(s *session, now time.Time) {
	s.begins(now)
	s.open++
	s.last = now
	o.unlist(s)
}

// release undoes one hold. A session with nothing open joins the idle ones as their
// latest. The caller holds mu.
func (o *Orchestrator) release(s *session, now time.Time) {
	s.open--
	s.last = now
	// It may have been ended while the segment was open.
	if s.open == 0 && o.sessions[s.id] == s {
		s.idle = o.idle.PushBack(s)
	}
}

// unlist takes a session out of the idle ones, if it is there. The caller holds mu.
func (o *Orchestrator) unlist(s *session) {
	if s.idle != nil {
		o.idle.Remove(s.idle)
		s.idle = nil
	}
}

// endAll ends every session, whatever it is doing.
func (o *Orchestrator) endAll() {
	o.mu.Lock()
	ids := make([]core.SessionID, 0, len(o.sessions))
	for id, s := range o.sessions {
		o.remove(s)
		ids = append(ids, id)
	}
	o.wake()
	o.mu.Unlock()
	for _, id := range ids {
		o.endTranscoding(id)
	}
}
