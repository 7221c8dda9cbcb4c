package liverunner

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Sizes of random values, in bytes.
const (
	shortID     = 5  // a runner's id
	eventsID    = 10 // a runner's channel of events
	sessionID   = 16
	proxyID     = 16
	secretBytes = 32
)

// base32Lower writes random values. Read-only.
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func (g *Registry) bytes(n int) []byte {
	b := make([]byte, n)
	if _, err := g.o.Rand.Read(b); err != nil {
		panic("no randomness: " + err.Error()) // crypto/rand never fails
	}
	return b
}

// random is n random bytes as text.
func (g *Registry) random(n int) string { return base32Lower.EncodeToString(g.bytes(n)) }

// NewEventsName is a new name for the channel by which a runner gets events.
func (g *Registry) NewEventsName(runnerID string) string {
	return runnerID + "-" + g.random(eventsID) + "-o2r"
}

// Session is a reserved slot of a runner.
type Session struct {
	// ID names the session and lets its client use it.
	ID    string
	Route string
	// RunnerID is the runner's, whose address and tokens its requests use.
	RunnerID string
	Dynamic  bool
	// SingleShot: it ends with its only request.
	SingleShot bool
	Begun      time.Time

	requests atomic.Int64 // in progress
	// since is when this process got to know it, and used how long after that its last request ended: a clock that is
	// set ends no session, and keeps none.
	since time.Time
	used  atomic.Int64

	token  string
	order  int64
	target *url.URL
	ctx    context.Context
	cancel context.CancelFunc
}

// Token authorizes the runner for this session.
func (s *Session) Token() string { return s.token }

// Target is the runner's address.
func (s *Session) Target() *url.URL { return s.target }

// Context ends with the session.
func (s *Session) Context() context.Context { return s.ctx }

// Authorized reports whether a token is the session's.
func (s *Session) Authorized(token string) bool { return equal(token, s.token) }

// Offered returns the runner of a route if it takes requests of a mode. It does not look at its
// slots. The error is a *Refusal.
func (g *Registry) Offered(route, mode string) (Runner, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, err := g.offeredLocked(route, mode)
	if err != nil {
		return Runner{}, err
	}
	return r.viewLocked(g.o.Now()), nil
}

func (g *Registry) offeredLocked(route, mode string) (*runner, error) {
	r, err := g.servingLocked(route)
	switch {
	case err != nil:
		return nil, err
	case r.spec.Mode != mode && mode == Persistent:
		return nil, errNotPersistent
	case r.spec.Mode != mode:
		return nil, errNotSingleShot
	case g.paused:
		return nil, errNodeDraining
	case r.draining:
		return nil, errRunnerDraining
	}
	return r, nil
}

// Reserve takes a slot of a runner. The session gets an id, "" for a new one. The error is a *Refusal.
func (g *Registry) Reserve(route, mode, id string) (*Session, Spec, error) {
	g.mu.Lock()
	r, err := g.offeredLocked(route, mode)
	switch {
	case err != nil:
	case id != "" && g.hasSessionLocked(id):
		err = errExists
	case len(r.sessions) >= r.spec.Capacity:
		err = errNoCapacity
	}
	if err != nil {
		g.mu.Unlock()
		return nil, Spec{}, err
	}
	if id == "" {
		id = "session_" + g.random(sessionID)
	}
	s := g.addSessionLocked(r, id, g.o.Now())
	spec := r.spec
	g.mu.Unlock()
	g.o.Reserved(s)
	return s, spec, nil
}

// hasSessionLocked reports whether any runner has a session: what sessions open is kept by their ids.
func (g *Registry) hasSessionLocked(id string) bool {
	for _, r := range g.runners {
		if r.sessions[id] != nil {
			return true
		}
	}
	return false
}

func (g *Registry) addSessionLocked(r *runner, id string, begun time.Time) *Session {
	g.turn++
	s := &Session{
		ID: id, Route: r.route(), RunnerID: r.id, Dynamic: r.dynamic(), SingleShot: r.spec.Mode == SingleShot, Begun: begun,
		order: g.turn, target: r.spec.URL, since: g.o.Now(),
	}
	mac := hmac.New(sha256.New, r.seed)
	mac.Write([]byte(s.ID))
	s.token = base32Lower.EncodeToString(mac.Sum(nil))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	r.sessions[s.ID] = s
	return s
}

// servingLocked finds a runner that takes requests.
func (g *Registry) servingLocked(route string) (*runner, error) {
	r := g.findLocked(route)
	if r == nil || !r.serves(g.o.Now()) {
		return nil, errNoRunner
	}
	return r, nil
}

func (g *Registry) findLocked(route string) *runner {
	if r := g.runners[route]; r != nil && !r.spec.ByLabel {
		return r
	}
	if r := g.labels[route]; r != nil && r.spec.ByLabel {
		return r
	}
	return nil
}

// Session finds a session for a request to its runner. The error is a *Refusal.
func (g *Registry) Session(route, id string) (*Session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, err := g.servingLocked(route)
	if err != nil {
		return nil, err
	}
	if s := r.sessions[id]; s != nil {
		return s, nil
	}
	return nil, errNoSession
}

// Stop ends a session. Unknown ones are fine. The error is a *Refusal for an unknown runner.
func (g *Registry) Stop(route, id string) error {
	g.mu.Lock()
	r := g.findLocked(route)
	if r == nil || r.expired(g.o.Now()) {
		g.mu.Unlock()
		return errNoRunner
	}
	s := r.sessions[id]
	delete(r.sessions, id)
	g.mu.Unlock()
	if s != nil {
		g.released([]*Session{s})
	}
	return nil
}

// End ends a session, if it has not ended.
func (g *Registry) End(s *Session) {
	g.mu.Lock()
	r := g.runners[s.RunnerID]
	ended := r != nil && r.sessions[s.ID] == s
	if ended {
		delete(r.sessions, s.ID)
	}
	g.mu.Unlock()
	if ended {
		g.released([]*Session{s})
	}
}

func (r *runner) byAgeLocked() []*Session {
	return slices.SortedFunc(maps.Values(r.sessions), func(a, b *Session) int { return cmp.Compare(a.order, b.order) })
}

// Use records that a request uses the session until done is called.
func (s *Session) Use(now func() time.Time) (done func()) {
	s.requests.Add(1)
	return func() {
		s.Touch(now())
		s.requests.Add(-1)
	}
}

// Touch records that the session was used at a time.
func (s *Session) Touch(at time.Time) {
	used := int64(at.Sub(s.since))
	for {
		old := s.used.Load()
		if used <= old || s.used.CompareAndSwap(old, used) {
			return
		}
	}
}

func (s *Session) idle(now time.Time, limit time.Duration) bool {
	return s.requests.Load() == 0 && now.Sub(s.since)-time.Duration(s.used.Load()) >= limit
}

// endIdleLocked removes the sessions without use for a time.
func (r *runner) endIdleLocked(now time.Time, limit time.Duration) (ended []*Session) {
	for id, s := range r.sessions {
		if limit > 0 && s.idle(now, limit) {
			delete(r.sessions, id)
			ended = append(ended, s)
		}
	}
	return ended
}

func (r *runner) endAllLocked() []*Session {
	all := r.byAgeLocked()
	clear(r.sessions)
	return all
}

// released ends sessions that are removed already.
func (g *Registry) released(all []*Session) {
	for _, s := range all {
		s.cancel()
		g.o.Released(s)
	}
	if len(all) > 0 {
		g.mu.Lock()
		close(g.ended)
		g.ended = make(chan struct{})
		g.mu.Unlock()
	}
}

// NewProxyID is a new id for a proxy URL.
func (g *Registry) NewProxyID() string { return g.random(proxyID) }

// ValidName reports whether a name may be part of a channel's name.
func ValidName(name string) bool { return name != "" && strings.Trim(name, nameCharacters) == "" }
