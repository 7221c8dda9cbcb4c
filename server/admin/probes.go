package admin

import (
	"net/http"
	"strings"
)

// healthy answers as long as the process does.
func healthy(w http.ResponseWriter, _ *http.Request) { writeText(w, "healthy\n") }

// ready answers whether the node can take work; where it cannot, the lines say why, one
// reason each. It is public: callers without read access get the codes, not
// the facts behind their colons.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	var why []string
	if s.opts.Node.Ready != nil {
		why = s.opts.Node.Ready()
	}
	if !s.mayRead(r) {
		for i := range why {
			why[i], _, _ = strings.Cut(why[i], ":")
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	if len(why) == 0 {
		writeText(w, "ready\n")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte("not ready\n" + strings.Join(why, "\n") + "\n")) // the client has left
	}
}

// mayRead reports whether guard would have let a request in that is no probe.
func (s *Server) mayRead(r *http.Request) bool {
	return s.hosts.Allow(r.Host) && (!s.isRemote(r) || s.checkToken(r) == nil)
}
