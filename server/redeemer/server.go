package redeemer

import (
	"context"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// Limits on strangers that no operator needs to change.
const (
	// maxMessage is many times a ticket; maxHeaders bounds what comes before it.
	maxMessage, maxHeaders = 16 << 10, 16 << 10
	// maxStreams bounds the calls at once on one connection, streams included.
	maxStreams = 2048
	// shakeTimeout bounds the TLS handshake.
	shakeTimeout = 10 * time.Second
	// idleTimeout ends connections without a call; orchestrators open another.
	idleTimeout = 10 * time.Minute
	// pingAfter is when a connection without traffic gets a ping, pingTimeout how long the answer may
	// take.
	pingAfter, pingTimeout = 2 * time.Minute, 20 * time.Second
	// stopGrace is the time that running calls get when the process stops.
	stopGrace = 3 * time.Second
)

// Server is the listener, a lifecycle component.
type Server struct {
	opt     Options
	service *service

	// mu guards addr.
	mu   sync.Mutex
	addr net.Addr
}

// New builds the listener; it opens nothing.
func New(opt Options) (*Server, error) {
	if err := opt.complete(); err != nil {
		return nil, err
	}
	return &Server{opt: opt, service: newService(opt)}, nil
}

// Name returns the component's name.
func (*Server) Name() string { return "redeemer listener" }

// Addr returns where the server listens, nil before it does.
func (s *Server) Addr() net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Run listens until ctx ends. Failing to listen is the fault ListenFailed.
func (s *Server) Run(ctx context.Context, ready func()) error {
	l, err := s.listen(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.addr = l.Addr()
	s.mu.Unlock()
	server := s.grpc()
	rpc.RegisterTicketRedeemerServer(server, s.service)
	s.opt.Log.Info("redeemer takes winning tickets", "addr", l.Addr(), "orchestrator", s.opt.Recipient.String())
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(newListener(l, s.opt, s.service.known)) }()
	ready()
	select {
	case err = <-failed:
		server.Stop()
		return err
	case <-ctx.Done():
		s.stop(server)
		<-failed
		return nil
	}
}

func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	if s.opt.Listener != nil {
		return s.opt.Listener, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.opt.Addr)
	if err != nil {
		return nil, &fault.Fault{Code: fault.ListenFailed, Op: "listen", Detail: s.opt.Addr, Err: err}
	}
	return l, nil
}

func (s *Server) grpc() *grpc.Server {
	opt := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.MaxHeaderListSize(maxHeaders),
		grpc.MaxConcurrentStreams(maxStreams), grpc.InTapHandle(s.service.tap),
		grpc.ConnectionTimeout(shakeTimeout), grpc.WaitForHandlers(true),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTimeout, Time: pingAfter,
			Timeout: pingTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
	}
	if s.opt.Cert != nil {
		conf := s.opt.Cert.Config()
		conf.NextProtos = []string{"h2"}
		opt = append(opt, grpc.Creds(credentials.NewTLS(conf)))
	}
	return grpc.NewServer(opt...)
}

// stop ends the streams, lets running calls finish for a short time, and cuts off the rest.
func (s *Server) stop(server *grpc.Server) {
	s.service.end()
	timer := time.AfterFunc(stopGrace, server.Stop)
	defer timer.Stop()
	server.GracefulStop()
}
