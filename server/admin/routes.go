package admin

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/pprof"
	"strconv"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// legacy is a route of the existing node.
type legacy struct {
	path string
	// changes: it is let through as changes are. chain: off-chain it answers that there is no chain.
	changes, chain bool
	serve          func(s *Server, w http.ResponseWriter, r *http.Request) error
}

// routes returns the mux: pages for programs, the existing node's routes, version 1.
func (s *Server) routes() *router {
	mux := newRouter()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc(adminapi.PathHealthy, healthy)
	mux.HandleFunc(adminapi.PathReady, s.ready)
	mux.HandleFunc("/api/conditions", s.conditions)
	if s.opts.Metrics != nil {
		mux.Handle("/metrics", s.opts.Metrics)
	}
	for pattern, page := range s.opts.Pages {
		mux.Handle(pattern, page)
	}
	if s.opts.Profiling {
		s.profiles(mux)
	}
	for _, l := range legacyRoutes() {
		mux.HandleFunc(l.path, s.legacy(l))
	}
	s.routesV1(mux)
	return mux
}

func legacyRoutes() (all []legacy) {
	for _, some := range [][]legacy{nodeRoutes(), settingRoutes(), gatewayRoutes(), readRoutes(), gasRoutes(),
		stakeRoutes(),
		orchestratorRoutes(), voteRoutes(), fundRoutes()} {
		all = append(all, some...)
	}
	return all
}

// legacy makes a handler of a route.
func (s *Server) legacy(l legacy) http.HandlerFunc {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if err := l.serve(s, w, r); err != nil {
			s.refuse(w, r, err)
		}
	}
	if l.changes {
		handler = s.change(true, handler)
	} else {
		handler = reading(handler)
	}
	if l.chain && s.opts.Chain == nil {
		return s.missingChain
	}
	return handler
}

func (s *Server) missingChain(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, fault.New(fault.MissingETHClient, "admin request", ""))
}

func (s *Server) profiles(mux *router) {
	// Without cmdline: secrets may be on the command line.
	mux.Handle("/debug/pprof/", s.sameSite(pprof.Index))
	mux.Handle("/debug/pprof/profile", s.sameSite(pprof.Profile))
	mux.Handle("/debug/pprof/symbol", s.sameSite(pprof.Symbol))
	mux.Handle("/debug/pprof/trace", s.sameSite(pprof.Trace))
}

// absent refuses what this node has no part for.
func absent(part string) error {
	return fault.New(fault.AdminPartAbsent, "admin request", "this node has no "+part)
}

// text makes a route that answers with a line that is known.
func text(f func(s *Server) string) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, _ *http.Request) error {
		writeText(w, f(s))
		return nil
	}
}

func boolText(f func(o *Options) bool) func(*Server, http.ResponseWriter, *http.Request) error {
	return text(func(s *Server) string { return strconv.FormatBool(f(&s.opts)) })
}

func writeText(w http.ResponseWriter, s string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, s) // the client has left
}

// writeBytes answers with bytes that are no text.
func writeBytes(w http.ResponseWriter, b []byte) {
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(b) // as above
}

func writeJSON(w http.ResponseWriter, v any) { writeJSONStatus(w, http.StatusOK, v) }

func writeJSONStatus(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // as above
}
