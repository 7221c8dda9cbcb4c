package worker

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/server/worker"
)

// addModels adds the models of a node without orchestrator, and what registers
// them with orchestrators elsewhere.
func (p *Part) addModels(ctx context.Context) error {
	work := modelserver.New(ctx, p.Env, p.media)
	at, err := p.registration()
	if err != nil {
		return err
	}
	tools := p.media.Tools(metrics.AIWorker, p.Add)
	live := inference.LongWorkers{work.Manager}
	if n := p.Config.LiveAI.SampleSessions; n > 0 {
		live = append(live, livevideo.NewSample(livevideo.SampleOptions{
			Open: livevideo.HTTPChannels(channelClients(at)), Media: tools, Sessions: n, Now: time.Now, Log: p.Log,
		}))
	}
	all := inference.NewFleet(live...)
	p.Models, p.states = work, all.Models
	opt := worker.AIOptions{Models: all, Live: live, Version: process.NetworkVersion, Random: rand.Reader, Now: time.Now,
		MaxRequests: nodeenv.Memory(worker.DefaultRequestBytes), Tracer: p.Tracer, Log: p.Log}
	// An orchestrator of the existing network takes videos, not frames.
	opt.Frames = tools
	p.Add(work.Manager)
	if p.Metrics != nil {
		if err := p.Metrics.WatchModels(metrics.AIWorker, strings.Join(nodeenv.Authorities(p.Config.Addresses.Orchestrators),
			","), all.Models); err != nil {
			return fmt.Errorf("register metrics of models: %w", err)
		}
	}
	loop, err := worker.AILoop(at, opt)
	if err != nil {
		return err
	}
	p.Add(named{loop, "AI worker"})
	return nil
}

// channelClients are the clients for the channels of each orchestrator: certificates are those of the registration.
func channelClients(at worker.Options) func(address string) *http.Client {
	clients := make(map[string]*http.Client)
	for _, addr := range at.Orchestrators {
		clients[addr] = trickle.NewHTTPClient(at.TLS.Channels(addr), nil)
	}
	return func(address string) *http.Client {
		u, err := url.Parse(address)
		if err != nil {
			return nil
		}
		return clients[u.Host]
	}
}
