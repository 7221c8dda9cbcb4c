package byoc

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/server/liverunner"
)

// RequestPath begins the paths of requests to capabilities.
const RequestPath = "/process/request/"

const (
	dialTime        = 5 * time.Second
	maxAnswerHeader = 64 << 10
)

// Server serves external capabilities. It is a lifecycle component.
type Server struct {
	o        Options
	registry *byoc.Registry
	tally    *byoc.Tally
	upstream *http.Transport
	bodies   Bodies
	// life ends with the node's; work descends from it.
	life context.Context
	end  context.CancelFunc

	mu sync.Mutex
	// streams are by their gateways' ids. Guarded by mu, as closed and the streams' peers.
	streams map[string]*stream
	closed  bool
	running sync.WaitGroup
}

// New makes a server without capabilities.
func New(o Options) *Server {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	if o.Lost == nil {
		o.Lost = func(string, error) {}
	}
	s := &Server{
		o: o, registry: byoc.NewRegistry(), tally: byoc.NewTally(), streams: make(map[string]*stream),
		upstream: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTime, Control: liverunner.Permit}).DialContext,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DisableCompression: true,
			MaxResponseHeaderBytes: maxAnswerHeader,
		},
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Name returns the component's name.
func (s *Server) Name() string { return "external capabilities" }

// Run serves until ctx ends; then all work ends.
func (s *Server) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.running.Wait()
	s.upstream.CloseIdleConnections()
	return nil
}

// endTime is kept of a drain's time for what ends with streams: their gateways' last requests.
const endTime = 2 * time.Second

// Drain waits until no slot is in use. Streams that are left shortly before ctx's deadline are ended. New work is
// refused by the orchestrator's rules, which drain at the same time.
func (s *Server) Drain(ctx context.Context) error {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if at, ok := ctx.Deadline(); ok {
		waiting, cancel = context.WithTimeout(ctx, time.Until(at)-min(endTime, time.Until(at)/2))
	}
	defer cancel()
	if s.registry.AwaitIdle(waiting) == nil {
		return nil
	}
	s.mu.Lock()
	for _, x := range s.streams {
		x.cancel()
	}
	s.mu.Unlock()
	return s.registry.AwaitIdle(ctx)
}

// Streams is the number of streams in progress.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}

// Used is the number of slots in use.
func (s *Server) Used() int { return s.registry.Used() }

// Capabilities are the registered ones.
func (s *Server) Capabilities() []byoc.Registration { return s.registry.Registered() }

// Routes adds the paths of the public port, whose bodies are received by bodies. It must be called once, before
// the server serves.
func (s *Server) Routes(mux *http.ServeMux, bodies Bodies) {
	s.bodies = bodies
	for path, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"/capability/register":   s.register,
		"/capability/unregister": s.unregister,
		RequestPath:              s.request,
		"/ai/stream/start":       s.startStream,
		"/ai/stream/update":      s.updateStream,
		"/ai/stream/stop":        s.stopStream,
		"/ai/stream/payment":     s.payStream,
	} {
		mux.HandleFunc(path, s.only(http.MethodPost, serve))
	}
	mux.HandleFunc("/process/token", s.only(http.MethodGet, s.token))
}

// only serves one method, and answers errors.
func (s *Server) only(method string, serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := error(errMethod)
		if r.Method == method {
			err = serve(w, r)
		}
		if err != nil {
			s.refuse(w, r, err)
		}
	}
}
