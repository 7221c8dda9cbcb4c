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
	session, spec, ok := s.begin(w, r, r.PathValue("route"), liverunner.Persistent)
	if !ok {
		return
	}
	control := s.appURL(session.Route) + "/session/" + session.ID
	a := reserved{ID: session.ID, AppURL: control + "/app", ControlURL: control}
	if spec.Proxy {
		var err error
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
	s.sessions[session] = &opened{session: session, channels: make(map[string]*trickle.Channel)}
	s.mu.Unlock()
	s.notify(session, "reserved")
}

func (s *Server) released(session *liverunner.Session) {
	s.mu.Lock()
	o := s.sessions[session]
	delete(s.sessions, session)
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
		if o.paid != nil {
			o.paid.End()
		}
	}
	s.notify(session, "released")
	s.updateExcept(Update{Ended: []string{session.ID}}, nil)
}

// stop ends a session. A caller that knows its id may.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	if err := s.registry.Stop(r.PathValue("route"), r.PathValue("sid")); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
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
