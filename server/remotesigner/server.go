package remotesigner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
)

// Limits on callers.
const (
	maxBody   = 256 << 10
	maxHeader = 16 << 10
	stopGrace = 3 * time.Second
)

// Server is the listener. It is a lifecycle component.
type Server struct {
	opt   Options
	hosts access.Hosts
	conns *admission.Gate
	http  *http.Server
	// admitted are callers that may have segments signed.
	admitted *admitted
	// failures limits the lines of what was not signed.
	failures fault.Lines

	mu   sync.Mutex
	addr net.Addr // guarded by mu
}

// New makes a server; it opens nothing.
func New(opt Options) *Server {
	s := &Server{opt: opt, hosts: access.NewHosts(opt.Addr, nil), admitted: newAdmitted(opt.Now)}
	s.conns = admission.New(admission.Options{Most: opt.Connections, PerAddress: opt.PerAddress, Known: opt.Known,
		LocalFree: true, Scarce: opt.Scarce, Now: opt.Now, Log: opt.Log})
	s.http = &http.Server{
		Handler:           s.conns.Handler(s.Handler()),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(opt.Log.Handler(), slog.LevelDebug),
	}
	s.conns.Server(s.http, nil)
	return s
}

// Handler returns all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sign-orchestrator-info", s.signOrchestratorInfo)
	mux.HandleFunc("POST /generate-live-payment", s.generateLivePayment)
	mux.HandleFunc("POST "+segmentPath, s.signSegment)
	if s.opt.Discover != nil {
		mux.HandleFunc("GET /discover-orchestrators", s.discoverOrchestrators)
	}
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"version": s.opt.Version, "roles": []string{"remoteSigner"},
			"account": s.opt.Signer.Account().String()})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A web page of another site must not spend, also where DNS points its name here. A webhook knows callers
		// by what pages do not have, so that a proxy may bring them by its own name.
		if s.opt.Authorizer == nil && !s.hosts.Allow(r.Host) || access.CrossSite(r) || access.CrossSiteReferer(r) {
			writeError(w, http.StatusForbidden, "this host name, or a page of another site, is refused")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	})
}

// Name returns the component's name.
func (s *Server) Name() string { return "remote signer" }

// Addr returns where the server listens, nil before it does.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Run serves until ctx ends. Errors are the faults ListenFailed and SignerExposed.
func (s *Server) Run(ctx context.Context, ready func()) error {
	l, err := s.listen(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.addr = l.Addr()
	s.mu.Unlock()
	s.opt.Log.Info("remote signer listening", "address", l.Addr().String(), "account", s.opt.Signer.Account().String())
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(s.conns.Listener(l)) }()
	ready()
	select {
	case err := <-served:
		return fault.Wrap(fault.ListenFailed, "serve the remote signer", err)
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-served
	return nil
}

// listen opens the listener. It refuses an address that other machines reach unless that is intended: a name such as
// localhost is checked after its look-up.
func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	l, err := s.opt.Listener, error(nil)
	if l == nil {
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", s.opt.Addr); err != nil {
			return nil, fault.Wrap(fault.ListenFailed, "listen for gateways", err)
		}
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !s.opt.Open && !at.IP.IsLoopback() {
		err := fault.New(fault.SignerExposed, "listen for gateways",
			fmt.Sprintf("%s is %s, which is not loopback", s.opt.Addr, at.IP))
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
