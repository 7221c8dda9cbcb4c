package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// guard refuses requests that are not meant for this listener, on any route.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.recovered(w, r)
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch r.Method {
		case http.MethodGet, http.MethodHead, http.MethodPost:
		default:
			h.Set("Allow", "GET, HEAD, POST")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if !probe(r) && !s.hosts.Allow(r.Host) {
			s.refuse(w, r, fault.New(fault.AdminHostRefused, "admin request",
				"the Host header names another host than this listener"))
			return
		}
		if access.CrossSite(r) {
			s.refuse(w, r, fault.New(fault.AdminCrossSite, "admin request", "a page of another site may not use this"))
			return
		}
		if s.isRemote(r) && !probe(r) {
			if err := s.checkToken(r); err != nil {
				s.refuse(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isRemote reports whether a request may come from another machine: the listener is reachable
// from there, or a proxy or a tunnel on this machine forwarded it.
func (s *Server) isRemote(r *http.Request) bool { return s.remote || access.Forwarded(r) }

// probe reports whether a request is a supervisor's liveness or readiness probe, which are the
// only public routes.
func probe(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", adminapi.PathHealthy, adminapi.PathReady:
		return r.Method != http.MethodPost
	}
	return false
}

// recovered turns a handler's panic into an answer and a log line.
func (s *Server) recovered(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	err := fault.Wrap(fault.Unexpected, "admin request", fault.Recovered(p))
	s.opts.Log.Error("admin request failed", "path", r.URL.Path, fault.Attr(err))
	writeRefusal(w, r, err)
}

// sameSite protects a handler that costs something from pages of other sites.
func (s *Server) sameSite(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkSite(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		next(w, r)
	})
}

// checkSite also refuses requests of which only the Referer names another site: old browsers
// send no other header with an image or a form. guard checks the other headers.
func checkSite(r *http.Request) error {
	if access.CrossSiteReferer(r) {
		return fault.New(fault.AdminCrossSite, "admin request", "a page of another site may not do this")
	}
	return nil
}
