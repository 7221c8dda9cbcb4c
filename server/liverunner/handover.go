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

// upgrading is what a server knows of an upgrade that it is part of. The server's mu guards it.
type upgrading struct {
	// tell sends updates to the other process, nil for none; elsewhere are single-shot sessions whose requests
	// are there.
	tell      func(Update)
	elsewhere []string
	// shared are the sessions that both processes know.
	shared []string
	// charged: the sessions that are charged by time have ended.
	charged bool
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

// Tell makes the server send updates to the other process of an upgrade; nil ends it. With the end of the old
// process the requests end that were all of their sessions.
func (s *Server) Tell(send func(Update)) {
	s.mu.Lock()
	s.upgrading.tell = send
	var over, ended []string
	here := make(map[string]bool)
	for session := range s.sessions {
		here[session.ID] = true
	}
	for _, id := range s.upgrading.shared {
		if !here[id] {
			ended = append(ended, id)
		}
	}
	if s.upgrading.shared = nil; send == nil {
		over, s.upgrading.elsewhere = s.upgrading.elsewhere, nil
	}
	s.mu.Unlock()
	if send != nil && len(ended) > 0 {
		send(Update{Ended: ended}) // while there was no line yet
	}
	for _, id := range over {
		s.registry.EndByID(id)
	}
}

// Receive takes an update of the other process.
func (s *Server) Receive(n Update) {
	for _, id := range n.Ended {
		s.registry.EndByID(id)
	}
	s.registry.Touch(n.Used)
}

// usedInterval is how often the old process tells which sessions are in use there.
const usedInterval = time.Second

// TellUsed tells the successor which sessions have requests here, until ctx ends; then these end.
func (s *Server) TellUsed(ctx context.Context) {
	every(ctx, usedInterval, func() {
		if ids := s.registry.Busy(); len(ids) > 0 {
			s.update(Update{Used: ids})
		}
	})
	s.registry.EndSessions()
}

func (s *Server) update(n Update) {
	s.mu.Lock()
	send := s.upgrading.tell
	s.mu.Unlock()
	if send != nil {
		send(n)
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
