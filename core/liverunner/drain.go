package liverunner

import "context"

// Pause refuses new sessions; those that there are go on. Resume takes new ones again.
func (g *Registry) Pause() { g.setPaused(true) }

// Resume undoes Pause.
func (g *Registry) Resume() { g.setPaused(false) }

func (g *Registry) setPaused(paused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.paused = paused
}

// Paused reports whether all new sessions are refused.
func (g *Registry) Paused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.paused
}

// SetDraining keeps new sessions from one runner, by its id or label, or lets it have some again. It
// returns false for an unknown runner.
func (g *Registry) SetDraining(name string, draining bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.namedLocked(name)
	if r != nil {
		r.draining = draining
	}
	return r != nil
}

// Named is the runner of an id or label.
func (g *Registry) Named(name string) (Runner, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.namedLocked(name); r != nil {
		return r.viewLocked(g.o.Now()), true
	}
	return Runner{}, false
}

func (g *Registry) namedLocked(name string) *runner {
	if r := g.labels[name]; r != nil {
		return r
	}
	return g.runners[name]
}

// Use is how many slots are taken, and how many there are of runners that take sessions or have some.
func (g *Registry) Use() (sessions, slots int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.o.Now()
	for _, r := range g.runners {
		sessions += len(r.sessions)
		switch {
		case r.draining:
			slots += len(r.sessions)
		case r.serves(now):
			slots += r.spec.Capacity
		}
	}
	return sessions, slots
}

// AwaitIdle returns when there is no session, or with ctx's error.
func (g *Registry) AwaitIdle(ctx context.Context) error {
	for {
		g.mu.Lock()
		busy := false
		for _, r := range g.runners {
			busy = busy || len(r.sessions) > 0
		}
		ended := g.ended
		g.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// EndSessions ends all sessions and returns how many there were.
func (g *Registry) EndSessions() int {
	g.mu.Lock()
	var ended []*Session
	for _, r := range g.runners {
		ended = append(ended, r.endAllLocked()...)
	}
	g.mu.Unlock()
	g.released(ended)
	return len(ended)
}
