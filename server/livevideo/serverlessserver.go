package livevideo

import (
	"context"
	"net/http"
	"strings"

	live "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/liverunner"
)

// Serverless starts sessions at a runner that is a WebSocket server elsewhere, and keeps them. It is a lifecycle
// component.
type Serverless struct {
	o ServerlessOptions
	*component
}

// NewServerless makes a server without sessions.
func NewServerless(o ServerlessOptions) *Serverless {
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
	return &Serverless{o: o, component: newComponent("serverless live video")}
}

// take takes a slot, if there is one, and returns the life of what has it. give gives it back.
func (s *Serverless) take() (ctx context.Context, give func(), ok bool) {
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
func (s *Serverless) Offers() []liverunner.Offer {
	if s.o.Draining() {
		return nil
	}
	used := s.Sessions()
	offer := liverunner.Offer{
		URL: s.o.ServiceURI + ServerlessPath, GPU: &live.GPU{Name: "H100"},
		App: s.o.Runner.Model.Capability.Pipeline() + "/" + s.o.Runner.Model.ID, Version: "serverless-1.0.0",
		Capacity: s.o.Runner.Capacity, Used: used, Available: max(0, s.o.Runner.Capacity-used),
	}
	if wei := s.o.Price(); wei > 0 {
		offer.Price = &liverunner.OfferPrice{Wei: wei, Currency: "wei", Unit: orchestrate.LivePixels}
	}
	return []liverunner.Offer{offer}
}

// Discovery lists the runner on a node without live runners.
func (s *Serverless) Discovery(w http.ResponseWriter, _ *http.Request) {
	liverunner.WriteOffers(w, s.o.ServiceURI, s.Offers())
}
