package livevideo

import (
	"context"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// Server serves live video. It is a lifecycle component.
type Server struct {
	o Options
	// life ends with the node's; sessions descend from it.
	life context.Context
	end  context.CancelFunc

	// sessions are those that begin, too, and those whose runner is not free yet.
	sessions lifecycle.Sessions

	mu      sync.Mutex
	closed  bool // guarded by mu
	running sync.WaitGroup
}

// New makes a server without sessions.
func New(o Options) *Server {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	if o.Draining == nil {
		o.Draining = func() bool { return false }
	}
	s := &Server{o: o}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Name returns the component's name.
func (s *Server) Name() string { return "live video" }

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

// Sessions is the number of sessions, those included that begin, and whose runner is not free yet.
func (s *Server) Sessions() int { return s.sessions.Count() }

// Work is what a drain waits for.
func (s *Server) Work() *lifecycle.Work { return s.sessions.Work("live video") }

// begin supervises a session until its end, or ctx's. It fails while the node stops.
func (s *Server) begin(ctx context.Context, x *session, done func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.running.Go(func() {
		defer done()
		x.supervise(s.life, ctx)
	})
	return true
}

// full reports whether a model's slots are all in use. A model that is not known is not full.
func (s *Server) full(model inference.Model) bool {
	for _, w := range s.o.Workers {
		for _, m := range w.Models() {
			if m.Model == model {
				return m.State == inference.Ready && m.InUse >= m.Capacity
			}
		}
	}
	return false
}

// reserve takes a slot of the worker that has the model.
func (s *Server) reserve(ctx context.Context, model inference.Model, party string) (inference.LongSlot, error) {
	const op = "reserve a live runner"
	for _, w := range s.o.Workers {
		slot, err := w.Reserve(ctx, model, party)
		if fault.CodeOf(err) == fault.ModelNotServed {
			continue
		}
		if err != nil {
			return nil, err
		}
		if long, ok := slot.(inference.LongSlot); ok {
			return long, nil
		}
		slot.Release()
	}
	return nil, fault.New(fault.ModelNotServed, op, model.String())
}

// modelNamed is a model of the pipeline.
func modelNamed(id string) inference.Model {
	return inference.Model{Capability: capability.LiveVideoToVideo, ID: id}
}
