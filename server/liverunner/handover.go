package liverunner

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/trickle"
)

// An upgrade keeps live sessions. The old process gives its runners, sessions, proxy URLs and the names of
// channels to its successor when its listener is closed. Requests and sockets to runners go on in the old
// process until they end or its time is over; those on channels are cut off and their clients come again,
// to the successor, for the next segment. While both processes live they tell each other which sessions
// ended and which are in use, so that a session ends in both and its slot is counted in one.

// State is what a process leaves to its successor.
type State struct {
	Registry liverunner.State
	Sessions map[string]SessionState
	// Events are the channels of dynamic runners, by runner id.
	Events map[string]ChannelState
}

// SessionState is what a session has opened: channels by the runner's names, and proxy URLs.
type SessionState struct {
	Channels map[string]ChannelState
	Proxies  map[string]*url.URL
}

// ChannelState is a channel without its segments.
type ChannelState struct {
	Name, MIME string
	Next       int64
}

// endCharged ends the sessions that are charged by time, before another process takes over: it finds their credit in
// the ledger, and their clients reserve again with the offer that they have. What was paid once goes on.
func (s *Server) endCharged() {
	var all []*liverunner.Session
	s.mu.Lock()
	s.upgrading.charged = true
	for session, o := range s.sessions {
		if o.paid != nil && !o.paid.Fixed() {
			all = append(all, session)
		}
	}
	s.mu.Unlock()
	for _, session := range all {
		s.registry.End(session)
	}
}

// Update is what one process tells the other after an upgrade: sessions that ended, or are in use.
type Update struct{ Ended, Used []string }

// HandOver makes the end of Run keep the sessions for a successor.
func (s *Server) HandOver(context.Context) error {
	s.leaving.Store(true)
	return nil
}

// upgrading is what a server knows of upgrades that it is part of. The server's mu guards it.
type upgrading struct {
	lines map[*Line]struct{}
	// elsewhere are single-shot sessions whose requests are in the previous process.
	elsewhere []string
	// shared are the sessions that both processes know while there is no line between them.
	shared []string
	// before is closed when the previous process has ended, nil without one.
	before chan struct{}
	// over: this process ends, and the sessions are the successor's alone.
	over bool
	// charged: the sessions that are charged by time have ended.
	charged bool
}

// Line is the connection to another process of an upgrade. While a third process takes over from the second, the
// first may still have requests: the second has a line to each and forwards updates.
type Line struct {
	s    *Server
	send func(Update)
	// elsewhere and gone are those of upgrading on a line to the previous process.
	elsewhere []string
	gone      chan struct{}
}

// State is what a successor gets. It is called after Run.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := State{
		Registry: s.registry.State(), Sessions: make(map[string]SessionState), Events: make(map[string]ChannelState),
	}
	for session, o := range s.sessions {
		s.upgrading.shared = append(s.upgrading.shared, session.ID)
		st := SessionState{Channels: make(map[string]ChannelState), Proxies: make(map[string]*url.URL)}
		for name, c := range o.channels {
			st.Channels[name] = stateOf(c)
		}
		for _, proxy := range o.proxies {
			st.Proxies[proxy] = s.byProxy[proxy].target
		}
		out.Sessions[session.ID] = st
	}
	for id, c := range s.events {
		out.Events[id] = stateOf(c)
	}
	return out
}

func stateOf(c *trickle.Channel) ChannelState { return ChannelState{c.Name(), c.MIME(), c.Next()} }

// Restore takes what another process left, before Run and before any runner is registered.
func (s *Server) Restore(st State) {
	sessions := s.registry.Restore(st.Registry)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range sessions {
		left := st.Sessions[session.ID]
		o := &opened{session: session, channels: make(map[string]*trickle.Channel)}
		for name, c := range left.Channels {
			o.channels[name] = s.hub.Restore(session.ID, c.Name, c.MIME, c.Next)
		}
		for id, target := range left.Proxies {
			o.proxies = append(o.proxies, id)
			s.byProxy[id] = &proxy{session, target}
		}
		s.sessions[session] = o
		s.upgrading.shared = append(s.upgrading.shared, session.ID)
		if session.SingleShot {
			s.upgrading.elsewhere = append(s.upgrading.elsewhere, session.ID)
		}
	}
	for id, c := range st.Events {
		s.events[id] = s.hub.Restore(id, c.Name, c.MIME, c.Next)
	}
	if len(sessions) > 0 {
		s.o.Log.Info("live sessions go on", "sessions", len(sessions))
	}
}

// LineBefore connects the server with the previous process. send must not call the server. The caller must close
// the line when that process has ended; the requests end then that were all of their sessions.
func (s *Server) LineBefore(send func(Update)) *Line {
	s.mu.Lock()
	l := &Line{s: s, send: send, elsewhere: s.upgrading.elsewhere, gone: make(chan struct{})}
	s.upgrading.elsewhere, s.upgrading.before = nil, l.gone
	s.mu.Unlock()
	l.open()
	return l
}

// LineAfter connects the server with its successor, see LineBefore.
func (s *Server) LineAfter(send func(Update)) *Line {
	l := &Line{s: s, send: send}
	l.open()
	return l
}

// open sends which sessions have ended while there was no line yet.
func (l *Line) open() {
	s := l.s
	s.mu.Lock()
	here := make(map[string]bool)
	for session := range s.sessions {
		here[session.ID] = true
	}
	var ended []string
	for _, id := range s.upgrading.shared {
		if !here[id] && !s.upgrading.over {
			ended = append(ended, id)
		}
	}
	s.upgrading.shared = nil
	if s.upgrading.lines == nil {
		s.upgrading.lines = make(map[*Line]struct{})
	}
	s.upgrading.lines[l] = struct{}{}
	s.mu.Unlock()
	if len(ended) > 0 {
		l.send(Update{Ended: ended})
	}
}

// Receive takes an update of the other process.
func (l *Line) Receive(n Update) {
	for _, id := range n.Ended {
		l.s.registry.EndByID(id) // which is an update for the other lines
	}
	if len(n.Used) > 0 {
		l.s.registry.Touch(n.Used)
		l.s.updateExcept(Update{Used: n.Used}, l)
	}
}

// Close ends the line. It must be called once.
func (l *Line) Close() {
	l.s.mu.Lock()
	delete(l.s.upgrading.lines, l)
	l.s.mu.Unlock()
	for _, id := range l.elsewhere {
		l.s.registry.EndByID(id)
	}
	if l.gone != nil {
		close(l.gone)
	}
}

// AwaitBefore waits until the line to the previous process, if any, was closed, or for ctx: the successor knows of the
// requests there by this process only.
func (s *Server) AwaitBefore(ctx context.Context) {
	s.mu.Lock()
	before := s.upgrading.before
	s.mu.Unlock()
	if before == nil {
		return
	}
	select {
	case <-before:
	case <-ctx.Done():
	}
}

// usedInterval is how often the old process tells which sessions are in use there.
const usedInterval = time.Second

// TellUsed tells the successor which sessions have requests here, until ctx ends; then these requests end. Their
// sessions go on in the successor, except those that were for one request.
func (s *Server) TellUsed(ctx context.Context) {
	every(ctx, usedInterval, func() {
		if ids := s.registry.Busy(); len(ids) > 0 {
			s.updateExcept(Update{Used: ids}, nil)
		}
	})
	s.mu.Lock()
	s.upgrading.over = true
	s.mu.Unlock()
	s.registry.EndSessions()
}

// updateExcept sends an update over all lines but one, nil for none.
func (s *Server) updateExcept(n Update, from *Line) {
	s.mu.Lock()
	var to []*Line
	for l := range s.upgrading.lines {
		if l != from && !s.upgrading.over {
			to = append(to, l)
		}
	}
	s.mu.Unlock()
	for _, l := range to {
		l.send(n)
	}
}

// handedOver refuses what comes to a process whose successor has the sessions: its clients come again.
func (s *Server) handedOver(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.left.Err() != nil {
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", "1")
			http.Error(w, "Draining: another process has taken over, repeat the request", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// cutAtHandOver ends requests on channels without an answer when the process leaves.
func (s *Server) cutAtHandOver(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		rc := http.NewResponseController(w)
		defer context.AfterFunc(s.left, func() {
			cancel()
			_ = rc.SetReadDeadline(time.Unix(1, 0)) // ends the read of a body
		})()
		next.ServeHTTP(w, r.WithContext(ctx))
		if s.left.Err() != nil {
			panic(http.ErrAbortHandler) // neither the segment nor the channel is over
		}
	})
}

// IsLong reports whether a request may go on after a handover: those to runners.
func (s *Server) IsLong(r *http.Request) bool {
	if _, _, ok := s.proxies.match(r); ok {
		return true
	}
	return isApp(r.URL.Path)
}
