package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
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
	// access says who may use the gateway.
	access *access.Policy
	// components keep it going, in starting order.
	components []lifecycle.Component
}

// newGatewayAI makes it. orchestrators lists whom to ask.
func (n *node) newGatewayAI(ctx context.Context, orchestrators func(context.Context) ([]string, error)) (*gatewayAI, error) {
	versions, err := airouting.ParseMinVersions(n.cfg.AI.MinRunnerVersion.JSON)
	if err != nil {
		return nil, err
	}
	keys, err := apikeystore.New(ctx, apikeystore.Options{
		Dir: n.cfg.Storage.DataDir, File: n.cfg.Gateway.APIKeys, Webhook: n.cfg.Gateway.AuthWebhook.Reveal(), Log: n.log, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	n.live.keys = keys
	client := upstream.New(upstream.Options{Payments: n.payments(), Now: time.Now, Node: "tutti/" + release.Version, Limits: n.answerLimits()})
	choice := broker.Options{
		Client: client, Orchestrators: orchestrators,
		Version: release.NetworkVersion, MinVersion: n.cfg.Selection.MinVersion, MinRunnerVersions: versions, Blocked: n.cfg.Selection.Blocklist,
		RetryWindow: max(n.cfg.AI.RetryTimeout, 1), Board: n.board, Log: n.log, Now: time.Now,
	}
	n.paying.choose(n, &choice)
	b := broker.New(choice)
	if !keys.Required() && !n.cfg.Addresses.GatewayListen.Loopback() {
		n.log.Warn("AI requests are taken from this machine only",
			fault.Attr(fault.New(fault.KeysNotConfigured, "open the gateway for AI", "there is no API key")))
	}
	if !keys.Required() && !n.cfg.Addresses.GatewayListen.Loopback() &&
		n.cfg.Gateway.StreamAccess == string(access.Auto) {
		n.log.Warn("streams are open to this machine only",
			fault.Attr(fault.New(fault.StreamKeyRequired, "open the gateway for streams", "there is no API key")))
	}
	n.aiPools = b.Pools
	out := &gatewayAI{components: []lifecycle.Component{keys, &brokering{b, client}}}
	if out.access, err = n.gatewayAccess(keys); err != nil {
		return nil, err
	}
	f, err := aiapi.New(aiapi.Options{
		Dispatcher: b, Keys: keys, CheckLocal: out.access.Machine, Recorder: n.inferenceRecorder(metrics.Gateway),
		Media: n.mediaFor(metrics.Gateway, func(c lifecycle.Component) { out.components = append(out.components, c) }), Capacity: b.Capacity,
		Limits: aiapi.Limits{Queue: queueLimit(n.cfg.AI.Queue)}, PrivateURLs: n.cfg.AI.PrivateURLs,
		Log: n.log, Now: time.Now, Rand: rand.Reader,
	})
	if err != nil {
		return nil, err
	}
	out.front = f
	if n.metrics != nil {
		if err := n.metrics.WatchOrchestrators(b.Orchestrators); err != nil {
			return nil, fmt.Errorf("register metrics of orchestrators: %w", err)
		}
	}
	return out, nil
}

// gatewayAccess is who may use the gateway's listener.
func (n *node) gatewayAccess(ring *apikeystore.Authorizer) (*access.Policy, error) {
	links, err := access.OpenLinks(n.cfg.Storage.DataDir, rand.Reader)
	if err != nil {
		return nil, err
	}
	c := n.cfg.Gateway
	return access.New(access.Options{
		Listen: n.cfg.Addresses.GatewayListen.Addr(), Hosts: c.Hosts, Mode: access.Mode(c.StreamAccess), Keys: ring,
		Links:       links,
		AskedPushes: !c.AuthWebhook.IsZero(), OpenPushes: c.OpenIngest,
	}), nil
}

// payments are how orchestrators are paid; nil pays nothing.
func (n *node) payments() upstream.Payments {
	if n.paying == nil {
		return nil
	}
	return n.paying.payments
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

// queueLimit is the operator's number of waiting requests, whose 0 is none.
func queueLimit(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// inferenceRecorder counts AI jobs for one role, or nothing without -monitor.
func (n *node) inferenceRecorder(nodeType string) inference.Recorder {
	if n.metrics == nil {
		return n.seenJobs(nodeType, inference.NopRecorder{})
	}
	return n.seenJobs(nodeType, n.metrics.Inference(nodeType))
}
