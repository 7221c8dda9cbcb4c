package byoc

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/lifecycle"
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
	// leaving: the end of Run is a handover.
	leaving atomic.Bool

	mu sync.Mutex
	// streams are by their gateways and the ids of these. Guarded by mu, as closed and the streams' peers.
	streams map[streamKey]*stream
	// names are those by which capabilities know streams. Guarded by mu.
	names map[string]bool
	// requests are those that are charged for. Guarded by mu.
	requests map[*paidJob]struct{}
	closed   bool
	// late is what requests cost after a handover.
	late    lateCharges
	running sync.WaitGroup
}

// New makes a server without capabilities.
func New(o Options) *Server {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	if o.Lost == nil {
		o.Lost = func(string, error) {}
	}
	s := &Server{
		o: o, registry: byoc.NewRegistry(), tally: byoc.NewTally(), streams: make(map[streamKey]*stream),
		names: make(map[string]bool), requests: make(map[*paidJob]struct{}),
		upstream: &http.Transport{
			DialContext: (&net.Dialer{Timeout: dialTime, Control: liverunner.Permit}).DialContext,
			// A server that does not read a gateway's body reads it as the next request on its connection: it could
			// begin and end the streams of other gateways.
			DisableKeepAlives:  true,
			DisableCompression: true, MaxResponseHeaderBytes: maxAnswerHeader,
		},
	}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Name returns the component's name.
func (s *Server) Name() string { return "external capabilities" }

// Run serves until ctx ends; then all work ends, but requests go on after a handover.
func (s *Server) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if s.leaving.Load() {
		s.endStreams()
		s.chargeElsewhere()
	} else {
		s.end()
	}
	s.running.Wait()
	s.upstream.CloseIdleConnections()
	return nil
}

// HandOver makes the end of Run leave requests in progress to end by themselves: they are the listener's to wait for.
func (s *Server) HandOver(context.Context) error {
	s.leaving.Store(true)
	return nil
}

// endStreams ends all streams.
func (s *Server) endStreams() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.streams {
		x.cancel()
	}
}

// Work is what a drain waits for: streams, which it ends at its deadline, and requests, which end by themselves.
func (s *Server) Work() []*lifecycle.Work {
	return []*lifecycle.Work{
		{Kind: "streams of external capabilities", Count: s.Streams, AwaitIdle: s.registry.AwaitIdle, End: s.endStreams},
		{Kind: "requests of external capabilities", Request: true, AwaitIdle: s.registry.AwaitIdle,
			Count: func() int { return max(0, s.Used()-s.Streams()) }},
	}
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
