package gateway

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/metrics"
)

// gatewayAI holds the parts that serve AI requests of applications.
type gatewayAI struct {
	front *aiapi.Server
	// access says which clients may use the gateway.
	access *access.Policy
	// client talks to orchestrators.
	client *upstream.Client
	// components run for it, in the order in which they start.
	components []lifecycle.Component
}

// newAI makes the parts. orchestrators returns the service URIs of the orchestrators to ask for offers.
func (p *Part) newAI(ctx context.Context, orchestrators func(context.Context) ([]string, error)) (*gatewayAI, error) {
	versions, err := airouting.ParseMinVersions(p.Config.AI.MinRunnerVersion.JSON)
	if err != nil {
		return nil, err
	}
	keys, err := apikeystore.New(ctx, apikeystore.Options{
		Dir: p.Config.Storage.DataDir, File: p.Config.Gateway.APIKeys, Webhook: p.Config.Gateway.AuthWebhook.Reveal(),
		WeiPerUSD: p.weiPerUSD(), Board: p.Board, Log: p.Log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	p.keys = keys
	routes, err := ReadRouting(p.Config.Gateway.Routing)
	if err != nil {
		return nil, err
	}
	p.routes.Store(routes)
	client := upstream.New(upstream.Options{Payments: p.payments(), Now: time.Now, Node: "tutti/" + process.Version,
		Limits: modelconfig.Limits(p.Config), Events: p.events})
	brokerOptions := broker.Options{
		Client: client, Orchestrators: orchestrators,
		Version: process.NetworkVersion, MinVersion: p.Config.Selection.MinVersion, MinRunnerVersions: versions,
		Blocked:    p.Config.Selection.Blocklist,
		HedgeShare: p.Config.AI.HedgeShare, HedgePaid: p.Config.AI.HedgePaid,
		RetryWindow: max(p.Config.AI.RetryTimeout, 1), Board: p.Board, Log: p.Log, Now: time.Now,
	}
	p.choose(&brokerOptions)
	b := broker.New(brokerOptions)
	if !keys.Required() && !p.Config.Addresses.GatewayListen.Loopback() {
		p.Log.Warn("AI requests are taken from this machine only",
			fault.Attr(fault.New(fault.KeysNotConfigured, "open the gateway for AI", "there is no API key")))
	}
	if !keys.Required() && !p.Config.Addresses.GatewayListen.Loopback() &&
		p.Config.Gateway.StreamAccess == string(access.Auto) {
		p.Log.Warn("streams are open to this machine only",
			fault.Attr(fault.New(fault.StreamKeyRequired, "open the gateway for streams", "there is no API key")))
	}
	p.Broker = b
	out := &gatewayAI{client: client, components: []lifecycle.Component{keys, &closingBroker{b, client}}}
	if out.access, err = p.gatewayAccess(keys); err != nil {
		return nil, err
	}
	checks, err := p.newGuards(p.Config)
	if err != nil {
		return nil, err
	}
	p.guards, p.cache = guards.NewSet(checks), p.newCache()
	f, err := aiapi.New(aiapi.Options{
		Dispatcher: b, Keys: keys, Spending: keys, CheckLocal: out.access.Machine, Recorder: p.Inference(metrics.Gateway),
		Media:    p.media.Tools(metrics.Gateway, func(c lifecycle.Component) { out.components = append(out.components, c) }),
		Capacity: b.Capacity, Routes: p.routes.Load, WeiPerUSD: p.weiPerUSD(), Guards: p.guards, Cache: p.cache,
		Limits: aiapi.Limits{Body: int64(p.Config.AI.BodyLimit), Queue: queueLimit(p.Config.AI.Queue),
			Bytes: nodeenv.Memory(aiapi.DefaultBytes), Results: nodeenv.Memory(aiapi.DefaultResults)},
		PrivateURLs: p.Config.AI.PrivateURLs, Spools: nodeenv.Spools(p.Config.Storage.DataDir),
		Tracer: p.Tracer, Log: p.Log, Now: time.Now, Rand: rand.Reader,
	})
	if err != nil {
		return nil, err
	}
	out.front, p.front = f, f
	if p.Metrics != nil {
		if err := p.Metrics.WatchOrchestrators(b.Orchestrators); err != nil {
			return nil, fmt.Errorf("register metrics of orchestrators: %w", err)
		}
		if err := p.Metrics.WatchGuards(p.guardChecks, p.cacheStats); err != nil {
			return nil, fmt.Errorf("register metrics of guards: %w", err)
		}
	}
	return out, nil
}

// gatewayAccess returns the policy of the gateway's listener.
func (p *Part) gatewayAccess(keys *apikeystore.Authorizer) (*access.Policy, error) {
	links, err := access.OpenLinks(p.Config.Storage.DataDir, rand.Reader)
	if err != nil {
		return nil, err
	}
	c := p.Config.Gateway
	return access.New(access.Options{
		Listen: p.Config.Addresses.GatewayListen.Addr(), Hosts: c.Hosts, Mode: access.Mode(c.StreamAccess), Keys: keys,
		Links:         links,
		WebhookPushes: !c.AuthWebhook.IsZero(), OpenPushes: c.OpenIngest,
	}), nil
}

// payments returns how orchestrators are paid; nil pays nothing.
func (p *Part) payments() upstream.Payments {
	if p.Paying == nil {
		return nil
	}
	return p.Paying.payments
}

// closingBroker is a broker that closes its client's connections when it ends.
type closingBroker struct {
	*broker.Broker
	client *upstream.Client
}

// Run runs the broker.
func (b *closingBroker) Run(ctx context.Context, ready func()) error {
	defer b.client.Close()
	return b.Broker.Run(ctx, ready)
}

// queueLimit converts the option: its 0 means that no request may wait, which aiapi.Limits writes as -1.
func queueLimit(n int) int {
	if n == 0 {
		return -1
	}
	return n
}
