package admin

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/origin"
)

// guard refuses what is not meant for this listener, whatever the route.
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
			s.refuse(w, r, fault.New(fault.AdminHostRefused, "admin request", "the Host header names another host than this listener"))
			return
		}
		if origin.Foreign(r) {
			s.refuse(w, r, fault.New(fault.AdminCrossSite, "admin request", "a page of another site may not use this"))
			return
		}
		if s.distant(r) && !probe(r) {
			if err := s.checkToken(r); err != nil {
				s.refuse(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// distant reports whether a request may come from another machine: the listener can be
// reached from there, or a proxy or a tunnel of this machine brought it.
func (s *Server) distant(r *http.Request) bool { return s.remote || origin.Forwarded(r) }

// probe reports whether a supervisor asks whether the node lives or is ready, which is
// all that anybody may know.
func probe(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", adminapi.PathHealthy, adminapi.PathReady:
		return r.Method != http.MethodPost
	}
	return false
}

// recovered turns a handler's panic into an answer and a line in our own log.
func (s *Server) recovered(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	err := fault.Wrap(fault.Unexpected, "admin request", fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	s.opts.Log.Error("admin request failed", "path", r.URL.Path, fault.Attr(err))
	writeRefusal(w, r, err)
}

// sameSite keeps pages of other sites away from a handler that costs something.
func (s *Server) sameSite(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkSite(r); err != nil {
			s.refuse(w, r, err)
			return
		}
		next(w, r)
	})
}

// checkSite refuses what costs something also where only a link tells of another
// site: old browsers send no other header with an image or a form. guard has seen to
// the rest.
func checkSite(r *http.Request) error {
	if origin.Linked(r) {
		return fault.New(fault.AdminCrossSite, "admin request", "a page of another site may not do this")
	}
	return nil
}
