package admin

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
)

// readTime bounds what a read may take of the chain: less than a client is given
// for the answer.
const readTime = 20 * time.Second

// reading bounds the time of a handler that changes nothing.
func reading(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readTime)
		defer cancel()
		next(w, r.WithContext(ctx))
	}
}

// nodeRoutes tell what kind of node this is.
func nodeRoutes() []legacy {
	return []legacy{
		{path: "/status", serve: (*Server).status},
		{path: "/IsOrchestrator", serve: boolText(func(o *Options) bool { return o.Orchestrator })},
		{path: "/IsRedeemer", serve: boolText(func(o *Options) bool { return o.Redeemer })},
		{path: "/EthChainID", serve: text(chainID)},
		{path: "/getLogLevel", serve: (*Server).getLogLevel},
		{path: "/debug", serve: (*Server).debug},
		{path: "/streamID", serve: text((*Server).oneStream)},
		{path: "/manifestID", serve: text((*Server).oneStream)},
		{path: "/localStreams", serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) error {
			writeJSON(w, []string{})
			return nil
		}},
		{path: "/getAvailableTranscodingOptions", serve: presets},
	}
}

func chainID(s *Server) string {
	if s.opts.Chain == nil {
		return "0"
	}
	return strconv.FormatUint(s.opts.Chain.Settings.ChainID(), 10)
}

func (s *Server) getLogLevel(w http.ResponseWriter, _ *http.Request) error {
	if s.opts.Node.Verbosity == nil {
		return absent("log level that can be asked for")
	}
	writeText(w, strconv.Itoa(s.opts.Node.Verbosity.Verbosity()))
	return nil
}

// oneStream returns the name of a stream, empty without one. Of several it is the first
// by name.
func (s *Server) oneStream() string {
	if s.opts.Node.Status == nil {
		return ""
	}
	if names := slices.Sorted(maps.Keys(s.opts.Node.Status().Manifests)); len(names) > 0 {
		return names[0]
	}
	return ""
}

// debug is for people: what the process is made of at this moment.
func (s *Server) debug(w http.ResponseWriter, _ *http.Request) error {
	var st Status
	if s.opts.Node.Status != nil {
		st = s.opts.Node.Status()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	writeText(w, fmt.Sprintf("version %s, %s %s/%s\ngoroutines %d\nheap %d bytes\nstreams %d\ntranscoders %d\n",
		st.Version,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumGoroutine(), m.HeapAlloc, len(st.Manifests),
		st.RegisteredTranscodersNumber))
	return nil
}

// presets are the names that a gateway's ladder may be made of.
func presets(_ *Server, w http.ResponseWriter, _ *http.Request) error {
	names := []string{}
	for _, p := range core.Presets() {
		if !p.Unlisted {
			names = append(names, p.Profile.Name)
		}
	}
	writeJSON(w, names)
	return nil
}
