package transcoders

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// Service is the orchestrator's side of remote transcoders. It is a lifecycle
// component that ends all registrations when it stops.
type Service struct {
	rpc.UnimplementedTranscoderServer
	opt      Options
	tasks    *remote.Tasks[outcome]
	expected expectedResults
	sources  *sources
	budget   *remote.Budget
	refusals *remote.Refusals
	names    remote.Names
	missing  *missingWorkers
	hosts    hosts

	warnUncounted sync.Once

	// process makes registration ids differ from those of earlier processes.
	process string
	parties *remote.Parties

	// joining serializes registrations.
	joining sync.Mutex

	// mu guards what follows.
	mu       sync.Mutex
	workers  map[*worker]struct{}
	instance map[string]*worker
	// processes has the same workers by their processes.
	processes     map[string]*worker
	registrations int
	closed        bool
}

// outcome is the end of a task: renditions or a fault, and the memory booked for them.
type outcome struct {
	res  *core.TranscodeResult
	err  error
	held int64
}

// New builds the service; nothing is registered.
func New(opt Options) (*Service, error) {
	if err := opt.complete(); err != nil {
		return nil, fmt.Errorf("build service of remote transcoders: %w", err)
	}
	var process [8]byte
	if _, err := io.ReadFull(opt.Rand, process[:]); err != nil {
		return nil, fmt.Errorf("build service of remote transcoders: %w", err)
	}
	parties, err := remote.NewParties(opt.Rand)
	if err != nil {
		return nil, fmt.Errorf("build service of remote transcoders: %w", err)
	}
	return &Service{
		opt:       opt,
		parties:   parties,
		process:   hex.EncodeToString(process[:]),
		tasks:     remote.NewTasks[outcome](opt.FirstTask),
		sources:   newSources(opt.Rand, opt.Now),
		budget:    remote.NewBudget(opt.ResultBytes),
		refusals:  remote.NewRefusals(opt.Log, opt.Now),
		missing:   newMissingWorkers(opt.Board),
		workers:   make(map[*worker]struct{}),
		instance:  make(map[string]*worker),
		processes: make(map[string]*worker),
	}, nil
}

// Endpoint is for remote.Streams, which then serves registrations itself.
func (s *Service) Endpoint() remote.Endpoint {
	return remote.Endpoint{Desc: &rpc.Transcoder_ServiceDesc, Server: s, Secrets: s.opt.Secrets}
}

// Register adds the service to a gRPC server behind remote.Streams, in place of
// Endpoint.
func (s *Service) Register(g *grpc.Server) { rpc.RegisterTranscoderServer(g, s) }

// Name returns the component's name.
func (s *Service) Name() string { return "remote transcoders" }

// Run ends all registrations when ctx ends.
func (s *Service) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	s.Close()
	return nil
}

// Close ends all registrations cleanly and accepts no more. Transcoders register again when
// the node is back.
func (s *Service) Close() {
	s.joining.Lock()
	defer s.joining.Unlock()
	s.mu.Lock()
	s.closed = true
	all := make([]*worker, 0, len(s.workers))
	for w := range s.workers {
		all = append(all, w)
	}
	s.mu.Unlock()
	for _, w := range all {
		w.markLost(stoppingFault())
	}
	s.missing.close()
}
