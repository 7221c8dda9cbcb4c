package livevideo

import (
	"context"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// Server serves live video. It is a lifecycle component.
type Server struct {
	o Options
	*component
}

// New makes a server without sessions.
func New(o Options) *Server {
	o.ServiceURI = strings.TrimSuffix(o.ServiceURI, "/")
	if o.Draining == nil {
		o.Draining = func() bool { return false }
	}
	return &Server{o: o, component: newComponent("live video")}
}

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

// modelNamed is a model of the pipeline.
func modelNamed(id string) inference.Model {
	return inference.Model{Capability: capability.LiveVideoToVideo, ID: id}
}
