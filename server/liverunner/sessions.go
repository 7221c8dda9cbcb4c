package liverunner

import (
	"net/http"
	"net/url"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/trickle"
)

func pathEscape(s string) string { return url.PathEscape(s) }

// reserved is the answer to a reservation.
type reserved struct {
	ID         string `json:"session_id"`
	AppURL     string `json:"app_url"`
	ControlURL string `json:"control_url"`
}

func (s *Server) reserve(w http.ResponseWriter, r *http.Request) {
	session, spec, err := s.registry.Reserve(r.PathValue("route"), liverunner.Persistent)
	if err != nil {
		refuse(w, err)
		return
	}
	control := s.appURL(session.Route) + "/session/" + session.ID
	a := reserved{ID: session.ID, AppURL: control + "/app", ControlURL: control}
	if spec.Proxy {
		if a.AppURL, _, err = s.addProxy(session, spec.URL); err != nil {
			refuse(w, err)
			return
		}
	}
	writeJSON(w, a)
}

// reserved and released follow the registry: a session's record lives from one to the other.
func (s *Server) reserved(session *liverunner.Session) {
	s.mu.Lock()
	s.sessions[session.ID] = &opened{session: session, channels: make(map[string]*trickle.Channel)}
	s.mu.Unlock()
	s.notify(session, "reserved")
}

func (s *Server) released(session *liverunner.Session) {
	s.mu.Lock()
	o := s.sessions[session.ID]
	delete(s.sessions, session.ID)
	if o != nil {
		for _, id := range o.proxies {
			delete(s.byProxy, id)
		}
	}
	s.mu.Unlock()
	if o != nil {
		for _, c := range o.channels {
			s.hub.Close(c.Name())
		}
	}
	s.notify(session, "released")
}

// stop ends a session. Who knows its id may.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	if err := s.registry.Stop(r.PathValue("route"), r.PathValue("sid")); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// payment answers payments for sessions: this node's are free.
func (s *Server) payment(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "runner session not found", http.StatusNotFound)
}

// byRunner lets the runner of a session alone in.
func (s *Server) byRunner(serve func(http.ResponseWriter, *http.Request, *liverunner.Session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session, err := s.registry.Session(r.PathValue("route"), r.PathValue("sid"))
		if err != nil {
			refuse(w, err)
			return
		}
		if !session.Authorized(r.Header.Get(headerToken)) {
			http.Error(w, "invalid authorization", http.StatusUnauthorized)
			return
		}
		admission.Prove(r.Context())
		serve(w, r, session)
	}
}

func (s *Server) stopByRunner(w http.ResponseWriter, _ *http.Request, session *liverunner.Session) {
	_ = s.registry.Stop(session.Route, session.ID)
	w.WriteHeader(http.StatusNoContent)
}
