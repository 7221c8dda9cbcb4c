package orchestrator

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/remote"
)

// Limits for unknown peers.
const (
	headerTimeout = 10 * time.Second
	// requestTimeout is for small requests. Handlers of large bodies set their own deadlines.
	requestTimeout = 30 * time.Second
	// idleTimeout is the network's.
	idleTimeout = 10 * time.Minute
	// maxHeader lets payments with hundreds of tickets through: one takes 100 bytes.
	maxHeader = 128 << 10

	// maxMessage bounds a gRPC request: one that names a thousand models is a quarter
	// as large.
	maxMessage = 256 << 10
	// maxStreams bounds the parallel requests of one connection. Unmodified orchestrators have
	// the same bound: gateways open more connections.
	maxStreams = 250
	// uploadWindow is the flow-control window: a whole segment of usual size, so that an upload
	// never waits for a window update.
	uploadWindow = 4<<20 - 1
	// readFrame is the largest frame of HTTP/2. A connection keeps a buffer of the
	// largest that it has got, and thousands of workers and gateways stay connected.
	readFrame = 64 << 10
	// stuckTimeout closes HTTP/2 connections whose peer does not read.
	stuckTimeout = 15 * time.Second
	// pingAfter is when an HTTP/2 connection without traffic is pinged, to detect stuck workers
	// soon.
	pingAfter = 15 * time.Second
)

func (s *Server) newHTTP() *http.Server {
	srv := &http.Server{
		Handler:           s.conns.Handler(s.guard(s.handover.Wrap(s.dispatch(), s.kindOf))),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      requestTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxReadFrameSize:              readFrame,
			MaxReceiveBufferPerConnection: uploadWindow,
			MaxReceiveBufferPerStream:     uploadWindow / 2,
			SendPingTimeout:               pingAfter,
			WriteByteTimeout:              stuckTimeout,
		},
		Protocols: new(http.Protocols),
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	s.conns.Server(srv, s.peerSeen)
	if len(s.opt.WorkerRoutes) > 0 {
		proofs := srv.ConnContext
		srv.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
			return remote.ConnContext(proofs(ctx, conn), conn)
		}
	}
	if s.opt.Cert == nil {
		srv.Protocols.SetUnencryptedHTTP2(true)
	} else {
		srv.TLSConfig = s.tls()
	}
	return srv
}

// dispatch detects gRPC as the network does: HTTP/2 and a content type that begins with
// application/grpc.
func (s *Server) dispatch() http.Handler {
	mux, workerMux := s.workersOnly(s.routes()), s.workerRoutes()
	if s.opt.Live != nil {
		mux = s.opt.Live.Wrap(mux)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			if isWorkerPath(r.URL.Path) {
				workerMux.ServeHTTP(w, r)
				return
			}
			s.grpc.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/segment", s.segment)
	mux.HandleFunc(orchestrate.StreamPath, s.stream)
	mux.HandleFunc("GET /status", s.status.serve)
	if s.orch.HasAI() {
		for _, p := range pipeline.Table() {
			mux.HandleFunc("POST "+p.Path, s.job(p))
		}
	}
	for _, d := range s.opt.WorkerRoutes {
		d.Routes(mux)
	}
	if s.opt.Live != nil {
		s.opt.Live.Routes(mux)
	} else {
		liverunner.NotEnabled(mux)
	}
	s.liveVideoRoutes(mux)
	s.byocRoutes(mux)
	if s.opt.Paywall != nil {
		s.opt.Paywall.Routes(mux)
	}
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// guard logs a handler's panic as our own defect; net/http would log it with the peers'
// errors.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v != http.ErrAbortHandler {
				s.opt.Log.Error("handler panicked", "code", fault.Unexpected, "err", v, "stack", string(debug.Stack()))
			}
			panic(http.ErrAbortHandler)
		}()
		next.ServeHTTP(w, r)
	})
}
