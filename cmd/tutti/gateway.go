package main

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/web"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// addGateway adds the listener for streams and players. Without orchestrators of
// its own it uses the one in this process.
func (n *node) addGateway(ctx context.Context) error {
	var orchestrators []string
	for _, o := range n.cfg.Addresses.Orchestrators {
		orchestrators = append(orchestrators, o.String())
	}
	if err := n.addPaying(ctx, orchestrators); err != nil {
		return err
	}
	if len(orchestrators) == 0 && n.cfg.Selection.Webhook.IsZero() && n.paying == nil {
		orchestrators = []string{n.cfg.Addresses.Service.String()}
	}
	opt := gateway.Options{
		Addr:             n.cfg.Addresses.GatewayListen.Addr(),
		Listener:         n.process.Sockets.Take(process.SocketGateway),
		Orchestrators:    orchestrators,
		OrchestratorHook: n.cfg.Selection.Webhook.Reveal(),
		AdmissionHook:    n.cfg.Gateway.AuthWebhook.Reveal(),
		NoPush:           !n.cfg.Gateway.HTTPIngest,
		Profiles:         n.cfg.Gateway.Ladder.Profiles,
		Routing: gateway.Routing{
			MaxAttempts: n.cfg.Gateway.MaxAttempts, DiscoveryTimeout: n.cfg.Gateway.DiscoveryTimeout,
			MinVersion: n.cfg.Selection.MinVersion, Blocked: n.cfg.Selection.Blocklist,
		},
		Limits:          gateway.Limits{Connections: n.connections(), PerAddress: n.cfg.Limits.PerAddress, Known: n.cfg.Limits.KnownPeers},
		Stores:          n.cfg.Storage.ObjectStoreNetworks,
		Scarce:          n.files.Refused,
		SeveralEncoders: n.severalEncoders,
		Page:            web.Handler(n.chainStatus()),
		Recorder:        n.recorder(metrics.Gateway),
		Log:             n.log,
		Now:             time.Now,
		Rand:            rand.Reader,
	}
	if n.media != nil {
		opt.Probe = prober{n.media}
	}
	n.paying.payFor(n, &opt)
	var g *gateway.Gateway
	ai, err := n.newGatewayAI(ctx, func(ctx context.Context) ([]string, error) { return g.Orchestrators(ctx) })
	if err != nil {
		return err
	}
	opt.AI, opt.Access = ai.front, ai.access
	if g, err = gateway.New(opt); err != nil {
		return err
	}
	n.gateway = g
	if n.live.listener != nil {
		n.live.listener.BeforeHandOver(g.Settled)
	}
	n.watchSessions(metrics.Gateway, g.StreamCapacity)
	for _, c := range ai.components {
		n.add(c)
	}
	n.add(g)
	if !n.cfg.Roles.Orchestrator {
		n.add(&answerCheck{board: n.board, look: g.Answering})
	}
	return nil
}

// prober lets the gateway have a media worker of its own process look at a segment
// whose headers do not tell enough. A gateway without one does without.
type prober struct{ media *pool.Pool }

// Probe looks at a segment in a media worker.
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

// severalEncoders is a condition with the streams that several encoders push into.
func (n *node) severalEncoders(streams string) {
	key := health.Key{Code: fault.StreamTwoEncoders}
	if streams == "" {
		n.board.Clear(key)
		return
	}
	n.board.Set(key, streams)
}
