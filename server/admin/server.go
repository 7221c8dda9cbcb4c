package admin

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admin/feed"
)

// Limits of the listener. It serves an operator's tools, a scraper or two, and the
// dashboards that are open, each of which holds a connection.
const (
	maxConnections = 2 * maxDashboards
	maxHeader      = 16 << 10
	headerTimeout  = 5 * time.Second
	readTimeout    = 15 * time.Second
	// writeTimeout is extended for changes, and by net/http/pprof for profiles.
	writeTimeout = 30 * time.Second
	idleTimeout  = time.Minute
	// stopTimeout is what running requests get when the node stops.
	stopTimeout = 2 * time.Second
)

// Server is the admin listener, a lifecycle.Component.
type Server struct {
	opts  Options
	hosts access.Hosts
	// remote: other machines reach the listener, so that everything needs the token.
	remote  bool
	handler http.Handler
	tries   *access.WrongTokens
	// lines bounds what refusals leave in the log.
	lines *access.WrongTokens
	gate  gate // set by Open, before anything is served
	feed  *feed.Feed[adminapi.Dashboard]

	changes    sync.WaitGroup
	nextChange atomic.Uint64

	// planning is held while steps of a plan are taken: two plans that are followed at
	// once would each take the same step.
	planning sync.Mutex

	mu       sync.Mutex
	addr     net.Addr             // guarded by mu, nil until it listens
	sessions adminapi.MaxSessions // guarded by mu
	stopping bool                 // guarded by mu: no change begins any more
}

// New makes the server; nothing listens until Run.
func New(opts Options) *Server {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Wait == 0 {
		opts.Wait = DefaultWait
	}
	s := &Server{opts: opts, hosts: hostsOf(&opts), remote: isRemote(opts.Listen), tries: access.NewWrongTokens(opts.Now),
		lines: access.NewWrongTokens(opts.Now)}
	if opts.Node.SetMaxSessions != nil {
		s.sessions = sessionsOf(opts.MaxSessions)
	}
	s.feed = s.newFeed()
	s.handler = s.guard(s.routes())
	return s
}

// Name returns the component's name.
func (s *Server) Name() string { return "admin" }

// Handler returns the whole API with its guards.
func (s *Server) Handler() http.Handler { return s.handler }

// Addr returns the address that is listened on, nil before Run is ready.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// lifeKey finds in a request's context the one that ends with the listener.
type lifeKey struct{}

// Run serves until ctx ends. A fault says why the address, the token or the log of
// changes cannot be used.
func (s *Server) Run(ctx context.Context, ready func()) error {
	if err := s.Open(); err != nil {
		return err
	}
	defer s.closeAudit()
	listener, err := s.listen(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.addr = listener.Addr()
	s.mu.Unlock()
	s.opts.Log.Info("admin API listening", "address", listener.Addr().String(), "token_for_reads", s.remote)
	if s.remote && s.opts.CompatTransactions {
		s.opts.Log.Warn("-enableCliTxRoutes acts on loopback only, so changes need POST and the token",
			"remedy", "use -cliAddr 127.0.0.1:7935 for tools that know no token")
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := s.httpServer(context.WithValue(life, lifeKey{}, life))
	streams := s.runFeed(ctx)
	defer streams()
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.bounded(listener, server)) }()
	ready()
	select {
	case err = <-served:
		return fault.Wrap(fault.ListenFailed, "serve the admin API", err)
	case <-ctx.Done():
	}
	return s.stop(ctx, server, end, served)
}

// runFeed makes dashboards until ctx ends: before running requests get their time, so
// that no open dashboard uses it up. What it returns waits for that.
func (s *Server) runFeed(ctx context.Context) (wait func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.feed.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (s *Server) httpServer(base context.Context) *http.Server {
	return &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
	}
}

// stop lets running requests end for a moment. Those that wait for a transaction
// then stop waiting; the transaction goes on.
func (s *Server) stop(ctx context.Context, server *http.Server, end func(), served <-chan error) error {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	err := server.Shutdown(grace)
	end()
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	s.changes.Wait()
	if err != nil {
		// A profile being taken is no reason to wait longer.
		err = server.Close()
	}
	<-served
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (s *Server) closeAudit() {
	if s.gate.audit == nil {
		return
	}
	if err := s.gate.audit.Close(); err != nil {
		s.opts.Log.Warn("the log of changes cannot be closed", fault.Attr(fault.Wrap(fault.AdminAuditFailed, "close", err)))
	}
}
