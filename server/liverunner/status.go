package liverunner

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

// fullTime is how long a runner counts as full after it refused a session for lack of slots.
const fullTime = time.Minute

// Status is a runner as the operator sees it.
type Status struct {
	liverunner.Runner
	// Problem is why it does not serve, nil where none is known.
	Problem error
}

// health is what is known of runners besides their registration. The server's mu guards it.
type health struct {
	problems map[string]problem   // by runner id
	full     map[string]time.Time // when a session was refused last for lack of slots
	counts   Counts
	// unpriced are the runners that Priced was called for with an error, by id.
	unpriced map[string]liverunner.Runner
}

// problem is why a runner does not serve, and since when.
type problem struct {
	err   error
	since time.Time
}

// lostTime is how long a dynamic runner that went without a word is reported.
const lostTime = 10 * time.Minute

// Counts are what became of requests for sessions, since the start.
type Counts struct {
	Reserved, Full, Draining, Unknown, Refused int64
}

// Statuses are the runners' in the order of their ids.
func (s *Server) Statuses() []Status {
	runners := s.registry.Runners()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Status, len(runners))
	for i, r := range runners {
		out[i] = Status{Runner: r}
		if !r.Serves {
			out[i].Problem = s.health.problems[r.ID].err
		}
	}
	return out
}

// Counts are what became of requests for sessions.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health.counts
}

// Channels are how many channels there are, and the bytes that they keep.
func (s *Server) Channels() (n int, bytes int64) { return s.hub.Len(), s.hub.Bytes() }

// SetDraining keeps new sessions from a runner, by its id or label, or lets it have some again. It
// returns false for an unknown one.
func (s *Server) SetDraining(name string, draining bool) bool {
	return s.registry.SetDraining(name, draining)
}

// Check asks a static runner for its health now, by its id or label; "" asks all. Dynamic ones are known
// by their heartbeats. It returns false for an unknown runner.
func (s *Server) Check(ctx context.Context, name string) bool {
	if name == "" {
		s.checkAll(ctx)
		return true
	}
	r, ok := s.registry.Named(name)
	if ok && !r.Dynamic {
		s.check(ctx, r)
	}
	return ok
}

func (s *Server) hasProblem(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, is := s.health.problems[id]
	return is
}

// report notes whether a runner serves, and why not.
func (s *Server) report(r liverunner.Runner, healthy bool, err error) {
	s.mu.Lock()
	if healthy {
		delete(s.health.problems, r.ID)
	} else {
		s.health.problems[r.ID] = problem{err, s.o.Now()}
	}
	s.mu.Unlock()
	s.o.Healthy(r, healthy, err)
}

// take reserves a session, and counts what became of it.
func (s *Server) take(route, mode, id string) (*liverunner.Session, liverunner.Spec, error) {
	session, spec, err := s.registry.Reserve(route, mode, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.health.counts
	switch liverunner.ReasonOf(err) {
	case liverunner.None:
		c.Reserved++
	case liverunner.NoCapacity:
		c.Full++
		if r, ok := s.registry.Runner(route); ok {
			s.health.full[r.ID] = s.o.Now()
		}
	case liverunner.Drains:
		c.Draining++
	case liverunner.Unknown:
		c.Unknown++
	default:
		c.Refused++
	}
	return session, spec, err
}

// reportFull notes which runners refused sessions for lack of slots in the last minute.
func (s *Server) reportFull() {
	now := s.o.Now()
	for _, r := range s.registry.Runners() {
		s.mu.Lock()
		at, was := s.health.full[r.ID]
		full := was && now.Sub(at) < fullTime
		if was && !full {
			delete(s.health.full, r.ID)
		}
		s.mu.Unlock()
		if was {
			s.o.Full(r, full)
		}
	}
}

// reportGone ends the reports of dynamic runners that went long ago.
func (s *Server) reportGone() {
	now := s.o.Now()
	var gone []string
	s.mu.Lock()
	for id, p := range s.health.problems {
		if now.Sub(p.since) >= lostTime {
			gone = append(gone, id)
		}
	}
	s.mu.Unlock()
	for _, id := range gone {
		if _, there := s.registry.Named(id); !there {
			s.forget(liverunner.Runner{ID: id, Dynamic: true})
		}
	}
}

// forget drops what is known of a runner that has gone.
func (s *Server) forget(r liverunner.Runner) {
	s.mu.Lock()
	_, full := s.health.full[r.ID]
	delete(s.health.full, r.ID)
	delete(s.health.problems, r.ID)
	s.mu.Unlock()
	if full {
		s.o.Full(r, false)
	}
	s.o.Healthy(r, true, nil) // nothing is wrong with it any more
}
