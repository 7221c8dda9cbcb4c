package liverunner

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/orchestrate"
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
	// ProxyURL is the form of proxy URLs, with {proxy} in slot of the id; empty is below ServiceURI.
	ProxyURL string
	// Secret lets runners register themselves; empty allows none.
	Secret string
	// Idle is how long a session may go unused before it ends; 0 is forever.
	Idle time.Duration
	// Requests bounds the requests in progress to runners and channels; 0 is DefaultRequests.
	Requests int
	// Healthy is called when a runner begins or stops to serve; it must not block. May be nil.
	Healthy func(r liverunner.Runner, healthy bool, err error)
	// Full is called while a runner refuses sessions for lack of slots, and when it has not for some
	// time; it must not block. May be nil.
	Full func(r liverunner.Runner, full bool)
	// Further are offers besides those of the runners; may be nil.
	Further func() []Offer
	// Hub holds the channels, which this server serves and runs; nil makes one.
	Hub *trickle.Hub
	// Payments takes payment for sessions; nil where work is free. Rate converts prices to wei, and is
	// false while it knows no rate; it is needed with Payments.
	Payments Payments
	Rate     func(core.UnitPrice) (*big.Rat, bool)
	// Priced is called when a runner begins or ceases to have a price in wei; it must not block. May be
	// nil.
	Priced func(r liverunner.Runner, err error)

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
	slots    *slots
	// buffers are for sockets with traffic.
	buffers sync.Pool

	mu sync.Mutex
	// sessions holds what each session has opened. It is not by id: a paid session may begin again under
	// the id of one that is just ending. byProxy finds it by the id of a proxy URL.
	sessions map[*liverunner.Session]*opened
	byProxy  map[string]*proxy
	// containers are where those of runners are reached, by name.
	containers map[string]container
	// events are the channels of dynamic runners, by runner id.
	events    map[string]*trickle.Channel
	health    health
	upgrading upgrading

	// leaving: the end of Run is a handover. left ends when it has happened.
	leaving atomic.Bool
	left    context.Context
	leave   context.CancelFunc
}

// opened is what a session has opened: channels by the runner's name for them, and proxy URLs. The
// server's mu guards it.
type opened struct {
	session  *liverunner.Session
	channels map[string]*trickle.Channel
	proxies  []string
	// paid is nil where work is free.
	paid *orchestrate.LiveSession
}

// New makes a server without runners.
func New(o Options) (*Server, error) {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	o.InternalURI = internalURI(o.InternalURI, o.ServiceURI)
	if o.Healthy == nil {
		o.Healthy = func(liverunner.Runner, bool, error) {}
	}
	if o.Full == nil {
		o.Full = func(liverunner.Runner, bool) {}
	}
	if o.Hub == nil {
		o.Hub = trickle.NewHub(trickle.Limits{}, o.Now)
	}
	if o.Priced == nil {
		o.Priced = func(liverunner.Runner, error) {}
	}
	form, err := parseProxyForm(o.ProxyURL, o.ServiceURI)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, proxies: form, slots: newSlots(cmp.Or(o.Requests, DefaultRequests)), hub: o.Hub,
		containers: make(map[string]container),
		upstream: &http.Transport{
			MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, DisableCompression: true,
			MaxResponseHeaderBytes: 256 << 10,
		},
		sessions: make(map[*liverunner.Session]*opened), byProxy: make(map[string]*proxy),
		events: make(map[string]*trickle.Channel),
		health: health{problems: make(map[string]problem), full: make(map[string]time.Time),
			unpriced: make(map[string]liverunner.Runner)},
	}
	s.upstream.DialContext, s.upstream.DialTLSContext = s.dial, s.dialTLS
	s.left, s.leave = context.WithCancel(context.Background())
	s.checker = healthClient(s.upstream)
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

// Name returns the component's name.
func (s *Server) Name() string { return "live runners" }

// Runners are the registered runners.
func (s *Server) Runners() []liverunner.Runner { return s.registry.Runners() }

// Run checks runners, sends them signs of life and ends what is idle, until ctx ends; then all sessions
// and channels end, unless a successor gets them (State).
func (s *Server) Run(ctx context.Context, ready func()) error {
	ready()
	var all sync.WaitGroup
	channels, closeAll := context.WithCancel(context.WithoutCancel(ctx))
	defer closeAll()
	all.Go(func() { s.hub.Run(channels) })
	all.Go(func() { every(ctx, healthInterval, func() { s.checkAll(ctx) }) })
	all.Go(func() { every(ctx, sweepInterval, s.Sweep) })
	all.Go(func() { every(ctx, keepAliveInterval, s.keepAlive) })
	all.Go(func() { every(ctx, aliveInterval, func() { s.checkAlive(ctx) }) })
	if s.o.Payments != nil {
		all.Go(func() { every(ctx, s.lookInterval(), s.Charge) })
		all.Go(func() { every(ctx, healthInterval, s.checkPrices) })
	}
	<-ctx.Done()
	if s.leaving.Load() {
		s.endCharged()
		s.leave()
	} else {
		s.registry.Close()
	}
	closeAll()
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
	for _, l := range s.registry.Sweep() {
		s.closeEvents(l.ID)
		if l.Ready {
			s.report(liverunner.Runner{ID: l.ID, Dynamic: true}, false, errLost)
		}
	}
	s.reportFull()
	s.reportGone()
}

// Routes adds the paths of the public port.
func (s *Server) Routes(mux *http.ServeMux) {
	mux.Handle(ChannelPath, s.cutAtHandOver(serveChannels(s.hub, s.slots)))
	handle := func(pattern string, serve http.HandlerFunc) { mux.Handle(pattern, s.handedOver(serve)) }
	handle("GET /discovery", s.discovery)
	handle("POST /runners/heartbeat", s.heartbeat)
	handle("POST /runners/{id}/unregister", s.unregister)
	handle("POST /apps/{route}/session", s.reserve)
	handle("POST /apps/{route}/session/{sid}/stop", s.stop)
	handle("POST /apps/{route}/session/{sid}/payment", s.topUp)
	handle("/apps/{route}/session/{sid}/app/{path...}", s.app)
	handle("/apps/{route}/app/{path...}", s.singleShot)
	handle("POST /runner/{route}/session/{sid}/channels", s.byRunner(s.openChannels))
	handle("DELETE /runner/{route}/session/{sid}/channels", s.byRunner(s.closeChannels))
	handle("POST /runner/{route}/session/{sid}/proxy", s.byRunner(s.openProxy))
	handle("POST /runner/{route}/session/{sid}/stop", s.byRunner(s.stopByRunner))
}

// isApp reports whether a path is served by a runner, of a session or of one that has a session per request.
func isApp(path string) bool {
	parts := strings.Split(path, "/")
	return len(parts) > 3 && parts[1] == "apps" && (parts[3] == "app" || len(parts) > 5 && parts[5] == "app")
}

// Wrap serves proxy URLs before all other paths.
func (s *Server) Wrap(next http.Handler) http.Handler {
	byURL := s.handedOver(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, path, _ := s.proxies.match(r)
		s.byProxyURL(w, r, id, path)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := s.proxies.match(r); ok {
			byURL.ServeHTTP(w, r)
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
