package pool

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

const opAdmit = "admit session"

// Admit places a new session on a device; for a placed session it does nothing. The fault
// is NoTranscoders when no device is ready, NoCapableTranscoder when no device is capable,
// OrchestratorCapped when no capacity is left, Draining when the node stops. It does not
// block.
func (p *Pool) Admit(r core.SessionRequest) error {
	if p.sessions.get(r.ID) != nil {
		return nil
	}
	_, err := p.admit(r)
	return err
}

// admit places a new session, or returns the one that another caller just placed.
func (p *Pool) admit(r core.SessionRequest) (*session, error) {
	s, err := p.placeSession(r)
	if err != nil {
		p.o.Recorder.SessionRefused(string(err.Code))
		return nil, err
	}
	return s, nil
}

func (p *Pool) placeSession(r core.SessionRequest) (*session, *fault.Fault) {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := p.sessions.get(r.ID); s != nil {
		return s, nil
	}
	if p.draining.Load() {
		return nil, fault.New(fault.Draining, opAdmit, "the node stops")
	}
	if n, have := p.rules.maxSessions.Load(), p.sessionCount.Load(); n > 0 && have >= n {
		return nil, cappedByOption(have, n)
	}
	p.refreshStaleLocked(maxRefreshes)
	s := newSession(r, t.needsLocked(r.Needs, r.MinVersion))
	q := search{load: float64(s.weightedLoad), renditions: s.renditions, party: s.party,
		skip: t.limitedLocked(s.party, s.renditions)}
	d := p.chooseLocked(s.needs, &q)
	if d == nil {
		return nil, p.refusalLocked(s.needs, &q)
	}
	p.admitted++
	s.seniority = p.admitted
	p.assignLocked(s, d)
	p.sessionCount.Add(1)
	p.sessions.put(s)
	return s, nil
}

func newSession(r core.SessionRequest, n *needs) *session {
	load := sessionLoad(r.Profiles)
	s := &session{
		id: r.ID, party: r.Party, needs: n, turn: make(chan struct{}, 1), done: make(chan struct{}),
		sessionDemand: sessionDemand{load: load, weightedLoad: load, weight: 1, renditions: max(1, len(r.Profiles))},
	}
	s.usedAt.Store(time.Now())
	return s
}

// minLoad is the least that a session counts, as much as a rendition of 240p: its source is
// decoded even if the renditions are tiny.
const minLoad = 426 * 240 * 30

// sessionLoad returns the load of a session with such renditions.
func sessionLoad(profiles []core.Profile) int64 { return max(minLoad, transcoder.Load(profiles)) }
