package gateway

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/answercache"
	"github.com/tuttinode/tutti/server/gateway/batch"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/web"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// Options are what the gateway shares with the node's other roles.
type Options struct {
	Env *nodeenv.Env
	// Chain is nil off-chain: the gateway pays nothing there.
	Chain *chain.Part
	// Media probes segments whose headers are not enough, and serves AI jobs.
	Media *media.Part
	// Caps are the maximum prices.
	Caps *pricing.Caps
	// Rates converts dollars to wei, nil without a price feed.
	Rates *pricing.Rates
}

// Part is the gateway of the node.
type Part struct {
	*nodeenv.Env
	Server *gateway.Gateway
	// Broker is the gateway's choice of orchestrators for AI requests.
	Broker *broker.Broker
	// Paying is nil off-chain, where nothing signs payments elsewhere.
	Paying *Paying
	keys   *apikeystore.Authorizer
	front  *aiapi.Server
	// batches is nil where the gateway keeps none.
	batches *batch.Server
	// routes are the operator's names of models.
	routes atomic.Pointer[airouting.ModelRoutes]
	// guards check AI requests and answers, cache keeps answers.
	guards *guards.Set
	cache  *answercache.Cache
	chain  *chain.Part
	media  *media.Part
	rates  *pricing.Rates
	// events and segments go to the operator's brokers; nil without them.
	events   telemetry.EventSink
	segments telemetry.Segments
}

// New adds the listener for streams and players. Without orchestrators of its own the gateway
// uses the one in this process.
func New(ctx context.Context, o Options) (*Part, error) {
	p := &Part{Env: o.Env, chain: o.Chain, media: o.Media, rates: o.Rates}
	var orchestrators []string
	for _, o := range p.Config.Addresses.Orchestrators {
		orchestrators = append(orchestrators, o.String())
	}
	if p.chain != nil {
		if err := p.addPaying(ctx, orchestrators, o.Caps); err != nil {
			return nil, err
		}
	}
	if p.chain == nil && !p.Config.Signer.URL.IsZero() {
		if err := p.addRemotePaying(ctx, o.Caps); err != nil {
			return nil, err
		}
	}
	if err := p.addReports(); err != nil {
		return nil, err
	}
	remote := !p.Config.Signer.URL.IsZero() // it lists orchestrators too
	if len(orchestrators) == 0 && p.Config.Selection.Webhook.IsZero() && p.Paying == nil && !remote {
		orchestrators = []string{p.Config.Addresses.Service.String()}
	}
	opt := p.options(orchestrators)
	if remote && len(orchestrators) == 0 && opt.OrchestratorHook == "" {
		opt.OrchestratorHook, opt.OrchestratorHookHeader = p.signersList()
	}
	p.payFor(&opt)
	ai, err := p.newAI(ctx, func(ctx context.Context) ([]string, error) { return p.Server.Orchestrators(ctx) })
	if err != nil {
		return nil, err
	}
	if p.batches, err = p.newBatches(); err != nil {
		return nil, err
	}
	opt.AI, opt.Access = newFaces(ai.front, p.keys, p.batches, p.Config), ai.access
	video, err := p.addLive(&opt, ai)
	if err != nil {
		return nil, err
	}
	if p.Server, err = gateway.New(opt); err != nil {
		return nil, err
	}
	p.WatchSessions(metrics.Gateway, p.Server.StreamCapacity)
	for _, c := range ai.components {
		p.Add(c)
	}
	if p.batches != nil {
		p.Add(p.batches)
	}
	p.Add(p.Server)
	p.addPublishing(video)
	if !p.Config.Roles.Orchestrator {
		p.Add(&answerCheck{board: p.Board, ask: p.Server.Answering})
	}
	return p, nil
}

// options returns the options of the listener, before AI and payments.
func (p *Part) options(orchestrators []string) gateway.Options {
	opt := gateway.Options{
		Addr:             p.Config.Addresses.GatewayListen.Addr(),
		Listener:         p.Process.Sockets.Take(process.SocketGateway),
		Orchestrators:    orchestrators,
		OrchestratorHook: p.Config.Selection.Webhook.Reveal(),
		Tracer:           p.Tracer,
		AdmissionHook:    p.Config.Gateway.AuthWebhook.Reveal(),
		NoPush:           !p.Config.Gateway.HTTPIngest,
		CurrentPlaylist:  p.Config.Gateway.CurrentManifest,
		Profiles:         p.Config.Gateway.Ladder.Profiles,
		Routing: gateway.Routing{
			MaxAttempts: p.Config.Gateway.MaxAttempts, DiscoveryTimeout: p.Config.Gateway.DiscoveryTimeout,
			MinVersion: p.Config.Selection.MinVersion, Blocked: p.Config.Selection.Blocklist,
		},
		Limits: gateway.Limits{Connections: p.Connections(), PerAddress: p.Config.Limits.PerAddress,
			Known: p.Config.Limits.KnownPeers, Bytes: nodeenv.Memory(gateway.DefaultBytes), Window: hls.Limits{
				StreamBytes: nodeenv.Memory(hls.DefaultStreamBytes), TotalBytes: nodeenv.Memory(hls.DefaultTotalBytes)}},
		Stores:          p.Config.Storage.ObjectStoreNetworks,
		Scarce:          p.Files.Refused,
		SeveralEncoders: p.severalEncoders,
		Page:            web.Handler(p.chain.Status(p.Config)),
		Events:          p.events,
		Segments:        p.segments,
		Recorder:        p.Recorder(metrics.Gateway),
		Log:             p.Log,
		Now:             time.Now,
		Rand:            rand.Reader,
	}
	if p.media.Pool != nil {
		opt.Probe = prober{p.media.Pool}
	}
	return opt
}

// ReloadSteps take over the API keys, names of models, guards and the bounds of connections.
func (p *Part) ReloadSteps() []nodeenv.Step {
	return []nodeenv.Step{
		func(_ context.Context, _, next *config.Config) (func(), error) {
			return p.keys.Replace(next.Gateway.APIKeys)
		},
		p.replaceRouting,
		p.replaceGuards,
		func(_ context.Context, now, next *config.Config) (func(), error) {
			if now.Limits.MaxConnections == next.Limits.MaxConnections && now.Limits.PerAddress == next.Limits.PerAddress {
				return nil, nil
			}
			return func() {
				p.Server.SetConnections(p.Files.Connections(next))
				p.Server.SetPerAddress(next.Limits.PerAddress)
			}, nil
		},
	}
}

// prober probes a segment in a media worker of this process when its headers are not
// enough. A gateway without media workers has no prober.
type prober struct{ media *pool.Pool }

// Probe probes a segment in a media worker.
func (p prober) Probe(ctx context.Context, segment []byte) (gateway.MediaInfo, error) {
	m, err := p.media.Probe(ctx, segment)
	if err != nil {
		return gateway.MediaInfo{}, err
	}
	return gateway.MediaInfo{
		VideoCodec: m.VideoCodec, AudioCodec: m.AudioCodec, PixelFormat: m.PixelFormat,
		Width: m.Width, Height: m.Height, FPS: m.FPS,
	}, nil
}

// severalEncoders sets the condition with the streams that several encoders push into.
func (p *Part) severalEncoders(streams string) {
	key := health.Key{Code: fault.StreamTwoEncoders}
	if streams == "" {
		p.Board.Clear(key)
		return
	}
	p.Board.Set(key, streams)
}
