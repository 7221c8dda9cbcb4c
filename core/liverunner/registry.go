package liverunner

import (
	"cmp"
	"crypto/subtle"
	"io"
	"slices"
	"sync"
	"time"
)

// maxRunners bounds the registered runners.
const maxRunners = 4096

// Options make a Registry.
type Options struct {
	// Secret lets runners register themselves; empty allows none.
	Secret string
	// Idle is how long a session may go unused before it ends; 0 is forever.
	Idle time.Duration
	Rand io.Reader
	Now  func() time.Time
	// Reserved and Released are called for each session that begins and ends, without the registry's
	// lock, Released exactly once.
	Reserved, Released func(*Session)
}

// Registry holds runners and sessions. Safe for concurrent use.
type Registry struct {
	o Options

	mu      sync.Mutex
	runners map[string]*runner // by id
	labels  map[string]*runner // static ones
	// turn orders sessions by age.
	turn int64
	// paused: all new sessions are refused.
	paused bool
	// ended is closed and replaced when sessions have ended.
	ended chan struct{}
}

// runner is one registered runner. The registry's mu guards it.
type runner struct {
	id   string
	spec Spec
	// seed makes the sessions' tokens.
	seed []byte
	// healthy: a static runner's last check was good. ready: a dynamic one takes work.
	healthy, ready bool
	// draining: the operator keeps new sessions from it.
	draining bool
	// secret authorizes a dynamic runner's heartbeats, beatAt is the last one.
	secret   string
	beatAt   time.Time
	lost     bool // Sweep has reported that it stays away
	sessions map[string]*Session
}

func (r *runner) dynamic() bool { return r.spec.Health == nil }

// route names the runner in paths.
func (r *runner) route() string {
	if r.spec.ByLabel {
		return r.spec.Label
	}
	return r.id
}

// serves reports whether the runner takes requests.
func (r *runner) serves(now time.Time) bool {
	if r.dynamic() {
		return r.ready && !r.expired(now)
	}
	return r.healthy
}

// NewRegistry makes a registry without runners.
func NewRegistry(o Options) *Registry {
	return &Registry{
		o: o, runners: make(map[string]*runner), labels: make(map[string]*runner), ended: make(chan struct{}),
	}
}

// Runner is a runner at one moment.
type Runner struct {
	ID, Route string
	Spec      Spec
	Dynamic   bool
	// Serves: it takes requests. Draining: it gets no new sessions, by the operator's wish.
	Serves, Draining bool
	Used             int
}

func (r *runner) viewLocked(now time.Time) Runner {
	return Runner{
		ID:       r.id,
		Route:    r.route(),
		Spec:     r.spec,
		Dynamic:  r.dynamic(),
		Serves:   r.serves(now),
		Draining: r.draining,
		Used:     len(r.sessions),
	}
}

// Runners lists all runners, in the order of their ids.
func (g *Registry) Runners() []Runner {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.o.Now()
	list := make([]Runner, 0, len(g.runners))
	for _, r := range g.runners {
		list = append(list, r.viewLocked(now))
	}
	slices.SortFunc(list, func(a, b Runner) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Runner is the runner of a route.
func (g *Registry) Runner(route string) (Runner, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.findLocked(route); r != nil {
		return r.viewLocked(g.o.Now()), true
	}
	return Runner{}, false
}

// Register takes the operator's runners: a known label keeps its id and sessions, absent ones stay. The
// result has the same order.
func (g *Registry) Register(specs []Spec) ([]Runner, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.runners)+len(specs) > maxRunners {
		return nil, errTooMany
	}
	for _, s := range specs {
		if !s.ByLabel {
			continue
		}
		if r := g.runners[s.Label]; r != nil && r != g.labels[s.Label] {
			return nil, errRouteTaken
		}
	}
	now := g.o.Now()
	list := make([]Runner, 0, len(specs))
	for _, s := range specs {
		r := g.labels[s.Label]
		if r == nil {
			r = g.newRunnerLocked("runner_" + g.random(shortID))
			g.labels[s.Label] = r
		}
		r.spec = s
		list = append(list, r.viewLocked(now))
	}
	return list, nil
}

func (g *Registry) newRunnerLocked(id string) *runner {
	r := &runner{id: id, seed: g.bytes(secretBytes), sessions: make(map[string]*Session)}
	g.runners[id] = r
	return r
}

// SetHealth records the result of a static runner's check. One that is not healthy loses its sessions.
func (g *Registry) SetHealth(id string, healthy bool) (changed bool) {
	g.mu.Lock()
	r := g.runners[id]
	var ended []*Session
	if r != nil && !r.dynamic() {
		changed = r.healthy != healthy
		r.healthy = healthy
		if !healthy {
			ended = r.endAllLocked()
		}
	}
	g.mu.Unlock()
	g.released(ended)
	return changed
}

// Unready ends the sessions of a runner that cannot be reached. A dynamic one gets new ones with its next
// heartbeat, a static one with its next good check.
func (g *Registry) Unready(id string) {
	g.mu.Lock()
	var ended []*Session
	if r := g.runners[id]; r != nil {
		r.healthy, r.ready = false, false
		ended = r.endAllLocked()
	}
	g.mu.Unlock()
	g.released(ended)
}

// Knows reports whether an authorization is the registration secret, or that of a runner.
func (g *Registry) Knows(authorization string) bool {
	if g.o.Secret != "" && equal(authorization, g.o.Secret) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.runners {
		if r.dynamic() && equal(authorization, r.secret) {
			return true
		}
	}
	return false
}

// equal compares secrets in constant time.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Unregister removes a dynamic runner. gone is called before its sessions are released, of which it needs no notice.
// The error is a *Refusal.
func (g *Registry) Unregister(id, authorization string, gone func()) error {
	g.mu.Lock()
	r := g.runners[id]
	switch {
	case r == nil || r.expired(g.o.Now()):
		g.mu.Unlock()
		return errNoRunner
	case !r.dynamic():
		g.mu.Unlock()
		return errStaticUnregister
	case !equal(authorization, r.secret):
		g.mu.Unlock()
		return errAuthorization
	}
	ended := r.endAllLocked()
	delete(g.runners, id)
	g.mu.Unlock()
	gone()
	g.released(ended)
	return nil
}

// Close ends all sessions.
func (g *Registry) Close() {
	g.mu.Lock()
	for _, r := range g.runners {
		r.healthy, r.ready = false, false
	}
	g.mu.Unlock()
	g.EndSessions()
}
