package liverunner

import "time"

// State is what a process leaves to its successor: runners with their secrets, and sessions with what their
// tokens are made of.
type State struct {
	Runners []RunnerState
	Paused  bool
}

// RunnerState is a runner of a State.
type RunnerState struct {
	ID                       string
	Spec                     Spec
	Seed                     []byte
	Healthy, Ready, Draining bool
	Secret                   string
	BeatAt                   time.Time
	// Sessions are the oldest first.
	Sessions []SessionState
}

// SessionState is a session of a State.
type SessionState struct {
	ID     string
	Begun  time.Time
	UsedAt int64
}

// State is what there is now.
func (g *Registry) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := State{Paused: g.paused}
	for _, r := range g.runners {
		rs := RunnerState{
			ID: r.id, Spec: r.spec, Seed: r.seed, Healthy: r.healthy, Ready: r.ready, Draining: r.draining, Secret: r.secret,
			BeatAt: r.beatAt,
		}
		for _, s := range r.byAgeLocked() {
			rs.Sessions = append(rs.Sessions, SessionState{s.ID, s.Begun, s.since.UnixNano() + s.used.Load()})
		}
		out.Runners = append(out.Runners, rs)
	}
	return out
}

// Restore takes what another process left, before this one serves. Heartbeats could not come while the
// processes changed, so their time starts again. It returns the sessions, for which Reserved is not called.
func (g *Registry) Restore(st State) (sessions []*Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused = st.Paused
	for i := range st.Runners {
		rs := &st.Runners[i]
		rs.Spec.Program = nil // the operator's file decides again what is started
		r := &runner{
			id: rs.ID, spec: rs.Spec, seed: rs.Seed, healthy: rs.Healthy, ready: rs.Ready, draining: rs.Draining,
			secret: rs.Secret, beatAt: rs.BeatAt, sessions: make(map[string]*Session),
		}
		if !r.expired(g.o.Now()) {
			r.beatAt = g.o.Now()
		}
		g.runners[r.id] = r
		if !r.dynamic() {
			g.labels[r.spec.Label] = r
		}
		for _, ss := range rs.Sessions {
			s := g.addSessionLocked(r, ss.ID, ss.Begun)
			s.used.Store(ss.UsedAt - s.since.UnixNano())
			sessions = append(sessions, s)
		}
	}
	return sessions
}

// EndByID ends a session by its id alone, of any runner.
func (g *Registry) EndByID(id string) {
	g.mu.Lock()
	var ended []*Session
	for _, r := range g.runners {
		if s := r.sessions[id]; s != nil {
			delete(r.sessions, id)
			ended = append(ended, s)
		}
	}
	g.mu.Unlock()
	g.released(ended)
}

// Touch records that sessions are in use elsewhere.
func (g *Registry) Touch(ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.o.Now()
	for _, r := range g.runners {
		for _, id := range ids {
			if s := r.sessions[id]; s != nil {
				s.Touch(now)
			}
		}
	}
}

// Busy are the sessions with requests in progress.
func (g *Registry) Busy() (ids []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.runners {
		for id, s := range r.sessions {
			if s.requests.Load() > 0 {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
