package orchestrator

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// stopGrace is the time for requests in progress when the node stops without a drain, or after
// it.
const stopGrace = 3 * time.Second

// handshakeTime is how long a new connection has at a stop to send its request.
const handshakeTime = time.Second

// Server is the listener. It is a lifecycle component that can drain.
type Server struct {
	opt      Options
	orch     *orchestrate.Orchestrator
	http     *http.Server
	grpc     *grpc.Server
	conns    *admission.Gate
	retiring sync.WaitGroup
	handover *admission.Handover
	uploads  *budget
	// disk bounds what of requests is in files.
	disk        *budget
	credentials credentials
	// workerCA are the authorities of workers, nil if no certificate is required.
	workerCA atomic.Pointer[x509.CertPool]
	// refusals counts workers without one.
	refusals *remote.Refusals
	pieces   bufferPool
	// renditions and artifacts are the downloads of the two kinds of results.
	renditions, artifacts *admission.Downloads
	fetch                 *http.Client
	status                *statusPage

	// mu guards addr.
	mu   sync.Mutex
	addr net.Addr
}

// New builds the listener; it opens nothing.
func New(opt Options) (*Server, error) {
	if err := opt.complete(); err != nil {
		return nil, fmt.Errorf("build listener: %w", err)
	}
	s := &Server{
		opt: opt, orch: opt.Orchestrator,
		grpc:     grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage)),
		conns:    newGate(&opt),
		handover: admission.NewHandover(),
		uploads:  newBudget(opt.UploadBytes),
		disk:     newBudget(opt.Spools.Limit()),
		fetch:    fetcher(opt.Stores),
		refusals: remote.NewRefusals(opt.Log, opt.Now),

		renditions: admission.NewDownloads(opt.Orchestrator.ResultBytes, opt.Now),
		artifacts:  admission.NewDownloads(opt.Orchestrator.ArtifactBytes, opt.Now),
	}
	s.workerCA.Store(opt.WorkerCA)
	s.status = newStatusPage(s)
	rpc.RegisterOrchestratorServer(s.grpc, &service{s: s})
	s.http = s.newHTTP()
	return s, nil
}

// Name returns the component's name.
func (s *Server) Name() string { return "orchestrator listener" }

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

	s.opt.Log.Info("orchestrator serves gateways", "addr", l.Addr(), "service", s.orch.ServiceURI())
	s.handover.SetListener(l)
	failed := make(chan error, 1)
	go func() { failed <- s.serve(s.conns.Listener(l)) }()
	ready()
	select {
	case err = <-failed:
	case <-ctx.Done():
		if !s.handover.Released() {
			// Close the listener first: after Shutdown net/http does not answer accepted
			// connections.
			_ = l.Close()
		}
		err = <-failed
	}
	switch {
	case s.handover.Released():
		// Both may have happened at once: answers in progress continue all the same.
		<-ctx.Done()
		s.conns.CloseIdle()
		s.retiring.Go(func() { s.retire(ctx) })
		err = nil
	case ctx.Err() != nil:
		if errors.Is(err, net.ErrClosed) {
			err = nil
		}
		s.stop(ctx)
	}
	s.grpc.Stop()
	s.fetch.CloseIdleConnections()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
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

func (s *Server) serve(l net.Listener) error {
	if s.opt.Cert == nil {
		return s.http.Serve(l)
	}
	return s.http.ServeTLS(l, "", "")
}

// stop gives requests in progress a short time, then aborts them.
func (s *Server) stop(ctx context.Context) {
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	// A connection accepted a moment ago is still in its handshake: if another process holds
	// the socket open, its peer cannot know that this process stops.
	s.conns.WaitFresh(grace, handshakeTime)
	// Shutdown would wait for idle connections.
	s.conns.CloseIdle()
	if err := s.http.Shutdown(grace); err != nil {
		s.opt.Log.Warn("requests cut off at the stop", "err", err)
		s.orch.Cut()
		s.http.Close()
	}
}

// retire closes the connections of a listener that was handed over as their answers are written. Requests in progress
// go on beyond it, see Finish.
func (s *Server) retire(ctx context.Context) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	_ = s.http.Shutdown(within) // requests that take longer end their connections themselves
}

// Drain refuses new sessions and finishes the current ones, see orchestrate.Drain. Renditions
// stay available meanwhile. Work that lasts ends at the same time, see Work.
func (s *Server) Drain(ctx context.Context) error {
	if s.opt.Live != nil {
		s.opt.Live.Pause()
	}
	work := s.Work()
	errs := make([]error, len(work))
	var drains sync.WaitGroup
	for i, w := range work {
		drains.Go(func() { errs[i] = w.Drain(ctx) })
	}
	err := s.orch.Drain(ctx)
	drains.Wait()
	return errors.Join(append(errs, err)...)
}

// Work is what a drain waits for besides segments and AI jobs.
func (s *Server) Work() (all []*lifecycle.Work) {
	if s.opt.Live != nil {
		all = append(all, s.opt.Live.Work())
	}
	if s.opt.LiveVideo != nil {
		all = append(all, s.opt.LiveVideo.Work())
	}
	if s.opt.Serverless != nil {
		all = append(all, s.opt.Serverless.Work())
	}
	if s.opt.Capabilities != nil {
		all = append(all, s.opt.Capabilities.Work()...)
	}
	return all
}
