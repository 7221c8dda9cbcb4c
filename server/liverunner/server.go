package liverunner

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/trickle"
)

// ChannelPath is where channels are served on the public port.
const ChannelPath = "/ai/trickle/"

// Options make a Server.
type Options struct {
	// ServiceURI is the orchestrator's public address, without a slash at its end.
	ServiceURI string
	// InternalURI is the address by which runners reach the orchestrator, with or without a scheme;
	// empty is ServiceURI.
	InternalURI string
	// ProxyURL is the form of proxy URLs, with {proxy} in place of the id; empty is below ServiceURI.
	ProxyURL string
	// Secret lets runners register themselves; empty allows none.
	Secret string
	// Idle is how long a session may go unused before it ends; 0 is for ever.
	Idle time.Duration
	// Healthy is called when a runner begins or stops to serve; it must not block. May be nil.
	Healthy func(r liverunner.Runner, healthy bool, err error)

	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// Server serves live runners. It is a lifecycle component.
type Server struct {
	o        Options
	registry *liverunner.Registry
	hub      *trickle.Hub
	proxies  proxyForm
	upstream *http.Transport
	checker  *http.Client

	mu sync.Mutex
	// sessions holds what each session has opened, byProxy finds it by the id of a proxy URL.
	sessions map[string]*opened
	byProxy  map[string]*proxy
	// events are the channels of dynamic runners, by runner id.
	events map[string]*trickle.Channel
}

// opened is what a session has opened: channels by the runner's name for them, and proxy URLs. The
// server's mu guards it.
type opened struct {
	session  *liverunner.Session
	channels map[string]*trickle.Channel
	proxies  []string
}

// New makes a server without runners.
func New(o Options) (*Server, error) {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	o.InternalURI = internalURI(o.InternalURI, o.ServiceURI)
	if o.Healthy == nil {
		o.Healthy = func(liverunner.Runner, bool, error) {}
	}
	form, err := parseProxyForm(o.ProxyURL, o.ServiceURI)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, proxies: form, hub: trickle.NewHub(trickle.Limits{}, o.Now),
		upstream: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DisableCompression: true,
			MaxResponseHeaderBytes: 256 << 10,
		},
		sessions: make(map[string]*opened), byProxy: make(map[string]*proxy), events: make(map[string]*trickle.Channel),
	}
	s.checker = &http.Client{
		Transport: s.upstream, Timeout: healthTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.registry = liverunner.NewRegistry(liverunner.Options{
		Secret: o.Secret, Idle: o.Idle, Rand: o.Rand, Now: o.Now, Reserved: s.reserved, Released: s.released,
	})
	return s, nil
}

// internalURI completes the address for runners, which may lack the scheme.
func internalURI(text, service string) string {
	switch scheme, _, _ := strings.Cut(service, "://"); {
	case text == "":
		return service
	case !strings.Contains(text, "://"):
		text = scheme + "://" + text
	}
	return strings.TrimSuffix(text, "/")
}

// Name is the component's name.
func (s *Server) Name() string { return "live runners" }

// Runners are the registered runners.
func (s *Server) Runners() []liverunner.Runner { return s.registry.Runners() }

// Run checks runners, sends them signs of life and ends what is idle, until ctx ends; then all sessions
// and channels end.
func (s *Server) Run(ctx context.Context, ready func()) error {
	ready()
	var all sync.WaitGroup
	all.Go(func() { s.hub.Run(ctx) })
	all.Go(func() { every(ctx, healthInterval, func() { s.checkAll(ctx) }) })
	all.Go(func() { every(ctx, sweepInterval, s.Sweep) })
	all.Go(func() { every(ctx, keepAliveInterval, s.keepAlive) })
	<-ctx.Done()
	s.registry.Close()
	all.Wait()
	s.upstream.CloseIdleConnections()
	return nil
}

const (
	sweepInterval     = time.Second
	keepAliveInterval = 10 * time.Second
)

func every(ctx context.Context, interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do()
		case <-ctx.Done():
			return
		}
	}
}

var errLost = errors.New("no heartbeat came in time")

// Sweep ends what belongs to runners without heartbeats, and sessions without use. Segments on its
// channels are use of a session.
func (s *Server) Sweep() {
	s.mu.Lock()
	for _, o := range s.sessions {
		for _, c := range o.channels {
			o.session.Touch(c.StartedAt())
		}
	}
	s.mu.Unlock()
	for _, id := range s.registry.Sweep() {
		s.closeEvents(id)
		s.o.Healthy(liverunner.Runner{ID: id, Dynamic: true}, false, errLost)
	}
}

// Routes adds the paths of the public port.
func (s *Server) Routes(mux *http.ServeMux) {
	mux.Handle(ChannelPath, s.channels())
	mux.HandleFunc("GET /discovery", s.discovery)
	mux.HandleFunc("POST /runners/heartbeat", s.heartbeat)
	mux.HandleFunc("POST /runners/{id}/unregister", s.unregister)
	mux.HandleFunc("POST /apps/{route}/session", s.reserve)
	mux.HandleFunc("POST /apps/{route}/session/{sid}/stop", s.stop)
	mux.HandleFunc("POST /apps/{route}/session/{sid}/payment", s.payment)
	mux.HandleFunc("/apps/{route}/session/{sid}/app/{path...}", s.app)
	mux.HandleFunc("/apps/{route}/app/{path...}", s.singleShot)
	mux.HandleFunc("POST /runner/{route}/session/{sid}/channels", s.byRunner(s.openChannels))
	mux.HandleFunc("DELETE /runner/{route}/session/{sid}/channels", s.byRunner(s.closeChannels))
	mux.HandleFunc("POST /runner/{route}/session/{sid}/proxy", s.byRunner(s.openProxy))
	mux.HandleFunc("POST /runner/{route}/session/{sid}/stop", s.byRunner(s.stopByRunner))
}

// IsLive reports whether a path is one of live work, whose requests may last for hours.
func IsLive(path string) bool {
	for _, prefix := range []string{ChannelPath, "/apps/", "/run/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// Wrap serves proxy URLs before all other paths.
func (s *Server) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id, path, ok := s.proxies.match(r); ok {
			s.byProxyURL(w, r, id, path)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// NotEnabled adds the paths of a node without live runners.
func NotEnabled(mux *http.ServeMux) {
	refuse := func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "live runners are not supported", http.StatusNotFound)
	}
	for _, path := range []string{"/discovery", "/runners/", "/runner/", "/apps/"} {
		mux.HandleFunc(path, refuse)
	}
}
