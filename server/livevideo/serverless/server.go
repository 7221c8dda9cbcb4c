package serverless

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/lifecycle"
	live "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/liverunner"
)

// Server starts sessions and keeps them. It is a lifecycle component.
type Server struct {
	o Options
	// life ends with the node's; sessions descend from it.
	life context.Context
	end  context.CancelFunc

	// sessions are those that have a slot.
	sessions lifecycle.Sessions

	mu      sync.Mutex
	closed  bool // guarded by mu
	running sync.WaitGroup
}

// New makes a server without sessions.
func New(o Options) *Server {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	o.Times = o.Times.complete()
	if o.Draining == nil {
		o.Draining = func() bool { return false }
	}
	if o.Reached == nil {
		o.Reached = func(error) {}
	}
	if o.Tick == nil {
		o.Tick = ticker
	}
	if o.Price == nil {
		o.Price = func() int64 { return 0 }
	}
	s := &Server{o: o}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Name returns the component's name.
func (*Server) Name() string { return "serverless live video" }

// Run serves until ctx ends; then all sessions end.
func (s *Server) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.running.Wait()
	return nil
}

// Sessions is the number of slots in use.
func (s *Server) Sessions() int { return s.sessions.Count() }

// Work is what a drain waits for.
func (s *Server) Work() *lifecycle.Work { return s.sessions.Work("serverless live video") }

// take takes a slot, if there is one, and returns the life of what has it. give gives it back.
func (s *Server) take() (ctx context.Context, give func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.sessions.Count() >= s.o.Runner.Capacity {
		return nil, nil, false
	}
	// A start in progress is waited for like a session.
	s.running.Add(1)
	ctx, done := s.sessions.Begin(s.life)
	return ctx, func() {
		done()
		s.running.Done()
	}, true
}

// Offers is what clients see of the runner among the orchestrator's; empty while the node drains.
func (s *Server) Offers() []liverunner.Offer {
	if s.o.Draining() {
		return nil
	}
	used := s.Sessions()
	offer := liverunner.Offer{
		URL: s.o.ServiceURI + Path, GPU: &live.GPU{Name: "H100"}, App: s.o.Runner.Model.Capability.Pipeline() + "/" +
			s.o.Runner.Model.ID, Version: "serverless-1.0.0",
		Capacity: s.o.Runner.Capacity, Used: used, Available: max(0, s.o.Runner.Capacity-used),
	}
	if wei := s.o.Price(); wei > 0 {
		offer.Price = &liverunner.OfferPrice{Wei: wei, Currency: "wei", Unit: orchestrate.LivePixels}
	}
	return []liverunner.Offer{offer}
}

// Discovery lists the runner on a node without live runners.
func (s *Server) Discovery(w http.ResponseWriter, _ *http.Request) {
	liverunner.WriteOffers(w, s.o.ServiceURI, s.Offers())
}
