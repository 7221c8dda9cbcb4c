package gateway

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/byoc"
	"github.com/tuttinode/tutti/server/gateway/live"
)

// withBYOC adds external capabilities to live video, which moves the media of their streams, also where it is not
// served itself.
func (p *Part) withBYOC(media *live.Server, channels *http.Client, ai *gatewayAI) gateway.AI {
	var video gateway.AI = media
	if !p.Config.LiveGateway.Served() {
		video = unserved{media}
	}
	return several{video, byoc.New(byoc.Options{
		Client:        ai.client,
		Orchestrators: func(ctx context.Context) ([]string, error) { return p.Server.Orchestrators(ctx) },
		Live:          media, Channels: channels, Keys: p.keys, Spending: p.keys, CheckLocal: ai.access.Machine,
		Log: p.Log, Now: time.Now, Rand: rand.Reader,
	})}
}

// unserved is live video without addresses.
type unserved struct{ *live.Server }

// Register adds none.
func (unserved) Register(*http.ServeMux) {}

// several are parts of a gateway that serve as one.
type several []gateway.AI

// Register adds the routes of all.
func (s several) Register(mux *http.ServeMux) {
	for _, part := range s {
		part.Register(mux)
	}
}

// Drain refuses new requests everywhere, and waits for those in flight.
func (s several) Drain(ctx context.Context) error {
	var all errgroup.Group
	for _, part := range s {
		all.Go(func() error { return part.Drain(ctx) })
	}
	return all.Wait()
}

// Close ends all, the last first.
func (s several) Close() {
	for i := len(s) - 1; i >= 0; i-- {
		s[i].Close()
	}
}
