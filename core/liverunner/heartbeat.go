package liverunner

import (
	"maps"
	"time"
)

// Times of dynamic runners.
const (
	HeartbeatInterval = 5 * time.Second
	HeartbeatTTL      = 20 * time.Second
	// forgetAfter is how long after its last heartbeat's end a runner's id is still taken.
	forgetAfter = 5 * time.Second
)

func (r *runner) expired(now time.Time) bool { return r.dynamic() && now.Sub(r.beatAt) >= HeartbeatTTL }

// Beat is the answer to a heartbeat.
type Beat struct {
	Runner Runner
	// Secret authorizes the next heartbeats; empty but for the first one.
	Secret string
	// Sessions are the runner's sessions, the oldest first.
	Sessions []string
}

// Beat takes a heartbeat. authorization is the registration secret at the first one, then the runner's
// own. The error is a *Refusal.
func (g *Registry) Beat(h Heartbeat, authorization string) (Beat, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.o.Now()
	r, err := g.authorizedLocked(h.ID, authorization, now)
	if err != nil {
		return Beat{}, err
	}
	var b Beat
	if r == nil {
		if len(g.runners) >= maxRunners {
			return Beat{}, errTooMany
		}
		if g.labels[h.ID] != nil {
			return Beat{}, errRouteTaken
		}
		id := h.ID
		if id == "" {
			id = "runner_" + g.random(shortID)
		}
		r = g.newRunnerLocked(id)
		r.secret = g.random(secretBytes)
		b.Secret = r.secret
	}
	r.spec, r.ready, r.beatAt, r.lost = h.Spec, h.Ready, now, false
	b.Runner = r.viewLocked(now)
	for _, s := range r.byAgeLocked() {
		b.Sessions = append(b.Sessions, s.ID)
	}
	return b, nil
}

// authorizedLocked finds a heartbeat's runner, nil for a new one.
func (g *Registry) authorizedLocked(id, authorization string, now time.Time) (*runner, error) {
	r := g.runners[id]
	switch {
	case r == nil && g.o.Secret == "":
		return nil, errNotEnabled
	case r == nil && !equal(authorization, g.o.Secret):
		return nil, errRegistration
	case r == nil:
		return nil, nil
	case !r.dynamic():
		return nil, errStaticBeat
	case r.expired(now):
		return nil, errNoRunner
	case !equal(authorization, r.secret):
		return nil, errHeartbeat
	}
	return r, nil
}

// Lost is a dynamic runner that stays away. Ready: it took work until then, and nothing else is known of its end.
type Lost struct {
	ID    string
	Ready bool
}

// Sweep ends sessions without use and those of runners without heartbeats, and forgets these runners
// a little later. It returns the runners that were lost since the last call, whatever they said last.
func (g *Registry) Sweep() (lost []Lost) {
	g.mu.Lock()
	now := g.o.Now()
	var ended []*Session
	for id, r := range maps.Clone(g.runners) {
		ended = append(ended, r.endIdleLocked(now, g.o.Idle)...)
		if !r.expired(now) {
			continue
		}
		if !r.lost {
			lost = append(lost, Lost{id, r.ready})
			r.lost, r.ready = true, false
		}
		ended = append(ended, r.endAllLocked()...)
		if now.Sub(r.beatAt) >= HeartbeatTTL+forgetAfter {
			delete(g.runners, id)
		}
	}
	g.mu.Unlock()
	g.released(ended)
	return lost
}
