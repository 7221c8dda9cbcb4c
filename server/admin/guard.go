package admin

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
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
		if !probe(r) && !s.hosts.allow(r.Host) {
			s.refuse(w, r, fault.New(fault.AdminHostRefused, "admin request", "the Host header names another host than this listener"))
			return
		}
		if foreign(r) {
			s.refuse(w, r, fault.New(fault.AdminCrossSite, "admin request", "a page of another site may not use this"))
			return
		}
		if s.remote && !probe(r) {
			if err := s.checkToken(r); err != nil {
				s.refuse(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

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

// foreign reports whether a browser says that a page of another site asks, or of
// another port of this machine: such a page reads nothing. Programs say nothing of
// the kind, and what a browser's address bar sends is the user's own.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	// Browsers without Sec-Fetch-Site.
	return elsewhere(r, "Origin")
}

// elsewhere reports whether a header has the address of another site.
func elsewhere(r *http.Request, header string) bool {
	from := r.Header.Get(header)
	if from == "" {
		return false
	}
	u, err := url.Parse(from)
	return err != nil || !strings.EqualFold(u.Host, r.Host)
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
	if r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" && elsewhere(r, "Referer") {
		return fault.New(fault.AdminCrossSite, "admin request", "a page of another site may not do this")
	}
	return nil
}

// hosts are the names a request may call this listener by.
type hosts struct {
	names []string
	// anyIP: the listener is not on loopback. An address cannot be rebound by
	// DNS, so every one is fine.
	anyIP bool
}

// newHosts allows loopback names, the configured address and further names.
func newHosts(listen string, more []string) hosts {
	h := hosts{names: append([]string{"localhost"}, more...)}
	host, _, err := net.SplitHostPort(listen)
	if err != nil || isUnix(listen) {
		return h
	}
	if host != "" {
		h.names = append(h.names, strings.Trim(host, "[]"))
	}
	h.anyIP = !isLoopback(host)
	return h
}

func (h hosts) allow(hostport string) bool {
	host := hostport
	// The port may differ, as through an SSH tunnel.
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return h.anyIP || ip.IsLoopback() || slices.Contains(h.names, host)
	}
	return slices.ContainsFunc(h.names, func(n string) bool { return strings.EqualFold(n, host) && n != "" })
}

// isLoopback reports whether only this machine reaches the host.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
