package admin

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/tuttinode/tutti/core/fault"
)

// Limits of the listener. It serves one operator and a scraper or two.
const (
	maxConnections = 64
	maxHeader      = 16 << 10
	headerTimeout  = 5 * time.Second
	readTimeout    = 15 * time.Second
	// writeTimeout is extended by net/http/pprof for the length of a profile.
	writeTimeout = 30 * time.Second
	idleTimeout  = time.Minute
	// stopTimeout is what running requests get when the node stops.
	stopTimeout = 2 * time.Second
)

// Server is the admin listener, a lifecycle.Component.
type Server struct {
	opts    Options
	hosts   hosts
	handler http.Handler

	mu   sync.Mutex
	addr net.Addr // guarded by mu, nil until it listens
}

// New makes the server; nothing listens until Run.
func New(opts Options) *Server {
	s := &Server{opts: opts, hosts: newHosts(opts.Listen, opts.Hosts)}
	s.handler = s.guard(s.routes())
	return s
}

// Name is the component's name.
func (s *Server) Name() string { return "admin" }

// Handler is the whole API with its guards.
func (s *Server) Handler() http.Handler { return s.handler }

// Addr is the address that is listened on, nil before Run is ready.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Run serves until ctx ends. A ListenFailed fault says that the address cannot
// be used.
func (s *Server) Run(ctx context.Context, ready func()) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.opts.Listen)
	if err != nil {
		return fault.Wrap(fault.ListenFailed, "listen on the admin address", err)
	}
	s.mu.Lock()
	s.addr = listener.Addr()
	s.mu.Unlock()
	s.opts.Log.Info("admin API listening", "address", listener.Addr().String())
	if s.hosts.anyIP {
		s.opts.Log.Warn("the admin API is reachable from other machines and asks for no password",
			"address", listener.Addr().String(), "remedy", "use -cliAddr 127.0.0.1:7935, or let a firewall close the port")
	}
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(netutil.LimitListener(listener, maxConnections)) }()
	ready()
	select {
	case err = <-served:
		return fault.Wrap(fault.ListenFailed, "serve the admin API", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err = server.Shutdown(stop); err != nil {
		// A profile being taken is no reason to wait longer.
		err = server.Close()
	}
	<-served
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
