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
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/gateway/access"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/metrics"
)

// gatewayAI is the gateway's way from applications to models.
type gatewayAI struct {
	front *aiapi.Server
	// access says which clients may use the gateway.
	access *access.Policy
	// client talks to orchestrators.
	client *upstream.Client
	// components keep it going, in starting order.
	components []lifecycle.Component
}

// newAI makes it. orchestrators lists the orchestrators to ask.
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
	choice := broker.Options{
		Client: client, Orchestrators: orchestrators,
		Version: process.NetworkVersion, MinVersion: p.Config.Selection.MinVersion, MinRunnerVersions: versions,
		Blocked:     p.Config.Selection.Blocklist,
		RetryWindow: max(p.Config.AI.RetryTimeout, 1), Board: p.Board, Log: p.Log, Now: time.Now,
	}
	p.choose(&choice)
	b := broker.New(choice)
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
	out := &gatewayAI{client: client, components: []lifecycle.Component{keys, &brokering{b, client}}}
	if out.access, err = p.gatewayAccess(keys); err != nil {
		return nil, err
	}
	checks, err := p.newGuards()
	if err != nil {
		return nil, err
	}
	f, err := aiapi.New(aiapi.Options{
		Dispatcher: b, Keys: keys, Spending: keys, CheckLocal: out.access.Machine, Recorder: p.Inference(metrics.Gateway),
		Media:    p.media.Tools(metrics.Gateway, func(c lifecycle.Component) { out.components = append(out.components, c) }),
		Capacity: b.Capacity, Routes: p.routes.Load, WeiPerUSD: p.weiPerUSD(), Guards: checks, Cache: p.newCache(),
		Limits: aiapi.Limits{Queue: queueLimit(p.Config.AI.Queue), Bytes: nodeenv.Memory(aiapi.DefaultBytes),
			Results: nodeenv.Memory(aiapi.DefaultResults)}, PrivateURLs: p.Config.AI.PrivateURLs,
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
	}
	return out, nil
}

// gatewayAccess returns the policy of the gateway's listener.
func (p *Part) gatewayAccess(ring *apikeystore.Authorizer) (*access.Policy, error) {
	links, err := access.OpenLinks(p.Config.Storage.DataDir, rand.Reader)
	if err != nil {
		return nil, err
	}
	c := p.Config.Gateway
	return access.New(access.Options{
		Listen: p.Config.Addresses.GatewayListen.Addr(), Hosts: c.Hosts, Mode: access.Mode(c.StreamAccess), Keys: ring,
		Links:       links,
		AskedPushes: !c.AuthWebhook.IsZero(), OpenPushes: c.OpenIngest,
	}), nil
}

// payments returns how orchestrators are paid; nil pays nothing.
func (p *Part) payments() upstream.Payments {
	if p.Paying == nil {
		return nil
	}
	return p.Paying.payments
}

// brokering is a broker that ends its connections when it ends.
type brokering struct {
	*broker.Broker
	client *upstream.Client
}

// Run is the broker's.
func (b *brokering) Run(ctx context.Context, ready func()) error {
	defer b.client.Close()
	return b.Broker.Run(ctx, ready)
}

// queueLimit returns the operator's number of waiting requests, whose 0 is none.
func queueLimit(n int) int {
	if n == 0 {
		return -1
	}
	return n
}
