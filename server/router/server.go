package router

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/tuttinode/tutti/core/fault"
	board "github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
)

// stopGrace is the time for requests in progress at the stop.
const stopGrace = 3 * time.Second

// Limits on peers.
const (
	// maxMessage bounds a request for an offer; those of gateways have some hundred bytes.
	maxMessage = 16 << 10
	// maxHeader bounds a request's header.
	maxHeader = 16 << 10
	// maxStreams bounds the parallel requests of one connection.
	maxStreams = 250
	// pingAfter is when a silent connection is pinged, and how long a write to a peer may
	// block.
	pingAfter = 15 * time.Second
)

// Router is the listener. It is a lifecycle component.
type Router struct {
	rpc.UnimplementedOrchestratorServer
	opt      Options
	conns    *admission.Gate
	backends []*backend
	grpc     *grpc.Server
	http     *http.Server
	client   *http.Client

	// picking is held while an orchestrator is chosen.
	pickMu sync.Mutex

	// pending are the calls in progress.
	pending sync.WaitGroup

	// mu guards what follows.
	mu     sync.Mutex
	addr   net.Addr
	closed bool
}

// New builds a router; it opens nothing.
func New(opt Options) (*Router, error) {
	if err := opt.complete(); err != nil {
		return nil, fmt.Errorf("build router: %w", err)
	}
	r := &Router{opt: opt, grpc: grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage))}
	r.conns = admission.New(admission.Options{
		Most: opt.Connections, PerAddress: opt.PerAddress, Known: opt.Known, Scarce: opt.Scarce,
		Now: opt.Now, Log: opt.Log,
	})
	for _, addr := range opt.Backends {
		b, err := dial(addr)
		if err != nil {
			return nil, err
		}
		r.backends = append(r.backends, b)
	}
	rpc.RegisterOrchestratorServer(r.grpc, r)
	healthpb.RegisterHealthServer(r.grpc, health.NewServer())
	// As the orchestrators' own certificates, see dial.
	r.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:        &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12},
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: maxHeaders,
	}}
	r.http = r.server()
	return r, nil
}

func (r *Router) server() *http.Server {
	srv := &http.Server{
		Handler:           r.conns.Handler(http.HandlerFunc(r.serve)),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout:    10 * time.Minute,
		MaxHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReadFrameSize: 16 << 10,
			MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 2 * maxMessage,
			SendPingTimeout: pingAfter, WriteByteTimeout: pingAfter,
		},
		ErrorLog:  slog.NewLogLogger(r.opt.Log.Handler(), slog.LevelDebug),
		Protocols: new(http.Protocols),
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	r.conns.Server(srv, nil)
	if r.opt.Cert == nil {
		srv.Protocols.SetUnencryptedHTTP2(true)
	} else {
		srv.TLSConfig = r.opt.Cert.Config()
	}
	return srv
}

func (r *Router) serve(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.ProtoMajor == 2 && strings.HasPrefix(req.Header.Get("Content-Type"), "application/grpc"):
		r.grpc.ServeHTTP(w, req)
	case req.URL.Path == "/healthz":
	case req.URL.Path == "/status" && req.Method == http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"version\":%q,\"roles\":[\"router\"],\"orchestrators\":%d}\n", r.opt.Version, len(r.backends))
	default:
		http.NotFound(w, req)
	}
}

// Name returns the component's name.
func (r *Router) Name() string { return "router" }

// Addr returns where the router listens, nil before it does.
func (r *Router) Addr() net.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addr
}

// Run listens until ctx ends. Failing to listen is the fault ListenFailed.
func (r *Router) Run(ctx context.Context, ready func()) error {
	l := r.opt.Listener
	if l == nil {
		var err error
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", r.opt.Addr); err != nil {
			return &fault.Fault{Code: fault.ListenFailed, Op: "listen", Detail: r.opt.Addr, Err: err}
		}
	}
	r.mu.Lock()
	r.addr = l.Addr()
	r.mu.Unlock()
	r.opt.Log.Info("router answers gateways", "addr", l.Addr(), "orchestrators", len(r.backends))
	failed := make(chan error, 1)
	go func() { failed <- r.listen(r.conns.Listener(l)) }()
	var polls sync.WaitGroup
	sub, stop := context.WithCancel(ctx)
	for _, b := range r.backends {
		polls.Go(func() { r.follow(sub, b) })
	}
	ready()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		if r.http.Shutdown(grace) != nil {
			r.http.Close()
		}
		cancel()
		err = <-failed
	}
	stop()
	polls.Wait()
	r.close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (r *Router) listen(l net.Listener) error {
	if r.opt.Cert == nil {
		return r.http.Serve(l)
	}
	return r.http.ServeTLS(l, "", "")
}

// follow polls an orchestrator's status and reports when it cannot be reached.
func (r *Router) follow(ctx context.Context, b *backend) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	key := board.Key{Code: fault.OrchestratorUnreachable, About: b.addr}
	for {
		sub, cancel := context.WithTimeout(ctx, pollInterval)
		err := b.poll(sub, r.client)
		cancel()
		if ctx.Err() != nil {
			return
		}
		r.checkAnswers(b, err == nil)
		if err != nil {
			r.opt.Board.Set(key, err.Error())
		} else {
			r.opt.Board.Clear(key)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// beginCall begins a call, if the router is not closed; pending.Done ends it.
func (r *Router) beginCall() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.pending.Add(1)
	return true
}

func (r *Router) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.grpc.Stop()
	r.client.CloseIdleConnections()
	for _, b := range r.backends {
		b.conn.Close()
	}
	r.pending.Wait()
}
