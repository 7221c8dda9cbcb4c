package admin

import "net/http"

// router is a mux that knows its patterns: a test goes through all of them, so that
// no route is left out where permissions are set.
type router struct {
	mux      *http.ServeMux
	patterns []string
}

func newRouter() *router { return &router{mux: http.NewServeMux()} }

// Handle adds a pattern.
func (r *router) Handle(pattern string, h http.Handler) {
	r.patterns = append(r.patterns, pattern)
	r.mux.Handle(pattern, h)
}

// HandleFunc adds a pattern.
func (r *router) HandleFunc(pattern string, h http.HandlerFunc) { r.Handle(pattern, h) }

// ServeHTTP answers.
func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }
