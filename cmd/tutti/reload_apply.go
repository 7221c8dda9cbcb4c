package main

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/cmd/tutti/internal/peers"
	"github.com/tuttinode/tutti/cmd/tutti/internal/reload"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/tlscert"
)

// live are the parts that change while the node runs; nil where it has none.
type live struct {
	rules    *orchestrate.Orchestrator
	listener *orchestrator.Server
	cert     *tlscert.Source
	secrets  *remote.Secrets
	admin    *admin.Server
}

// reloadSteps take over what may change while the node runs.
func (n *node) reloadSteps() []reload.Step {
	steps := []reload.Step{
		n.prepareLog, n.prepareLimits, n.preparePrices, n.prepareCaps, n.prepareGas, n.prepareFaceValue,
		n.prepareSecrets, n.prepareCert, n.prepareWorkerCA,
	}
	if n.gateway != nil {
		steps = append(steps, n.gateway.ReloadSteps()...)
	}
	if n.ai != nil {
		steps = append(steps, n.ai.Prepare(n.book()))
	}
	return steps
}

// book is the orchestrator's table of prices; nil where nothing has a price.
func (n *node) book() *pricing.Book {
	if n.prices == nil {
		return nil
	}
	return n.prices.Book
}

// prepareLog: both were checked with the configuration. What the admin API set stays
// unless its option says something new.
func (n *node) prepareLog(_ context.Context, now, next *config.Config) (func(), error) {
	was, is := now.Logging, next.Logging
	return func() {
		// Neither fails: the configuration has judged them.
		if was.Verbosity != is.Verbosity {
			_ = n.Sink.SetVerbosity(is.Verbosity)
		}
		if was.VModule != is.VModule {
			_ = n.Sink.SetVModule(is.VModule)
		}
	}, nil
}

func (n *node) prepareLimits(_ context.Context, now, next *config.Config) (func(), error) {
	return func() {
		if n.limiter != nil && now.Limits.MaxSessions != next.Limits.MaxSessions {
			n.limiter.SetMaxSessions(next.Limits.MaxSessions.N)
			n.live.admin.SessionsChanged(next.Limits.MaxSessions.N)
		}
		if n.live.rules != nil && now.Limits.ResultMemory != next.Limits.ResultMemory {
			n.live.rules.SetResultBytes(int64(next.Limits.ResultMemory))
			n.media.SetResultBytes(int64(next.Limits.ResultMemory))
		}
		if now.Limits.MaxConnections == next.Limits.MaxConnections && now.Limits.PerAddress == next.Limits.PerAddress {
			return
		}
		if n.live.listener != nil {
			n.live.listener.SetConnections(n.Files.Connections(next))
			n.live.listener.SetPerAddress(next.Limits.PerAddress)
		}
	}, nil
}

// preparePrices: of prices too, what the admin API set stays unless its option says
// something new.
func (n *node) preparePrices(ctx context.Context, now, next *config.Config) (func(), error) {
	if n.prices == nil || n.prices.Book == nil {
		return nil, nil
	}
	var fallback *core.UnitPrice
	if reload.Changed(now, next, "pricePerUnit", "pixelsPerUnit") {
		u := next.Prices.Default()
		fallback = &u
	}
	var gateways map[core.Address]core.UnitPrice
	if reload.Changed(now, next, "pricePerGateway") {
		gateways = make(map[core.Address]core.UnitPrice)
		maps.Copy(gateways, next.Prices.Gateways)
	}
	return n.prices.Book.Replace(ctx, fallback, gateways)
}

func (n *node) prepareCaps(ctx context.Context, now, next *config.Config) (func(), error) {
	if n.prices == nil || n.prices.Caps == nil {
		return nil, nil
	}
	limits := next.Prices.Limits()
	var general *core.UnitPrice
	if reload.Changed(now, next, "maxPricePerUnit", "pixelsPerUnit") {
		general = &limits.General
	}
	var single *pricing.Limits
	if reload.Changed(now, next, "maxPricePerCapability") {
		single = &limits
	}
	return n.prices.Caps.Replace(ctx, general, single)
}

// prepareGas: the bounds on the price of gas. One that its option leaves as it was is as
// the admin API set it, and the two must agree.
func (n *node) prepareGas(_ context.Context, now, next *config.Config) (func(), error) {
	if n.chain == nil || !reload.Changed(now, next, "minGasPrice", "maxGasPrice") {
		return nil, nil
	}
	inForce := n.chain.Transactions.Prices()
	lowest, highest := inForce.Min, inForce.Max
	if reload.Changed(now, next, "maxGasPrice") {
		highest = next.Gas.MaxPrice
	}
	if reload.Changed(now, next, "minGasPrice") {
		lowest = n.chain.Network.MinGasPrice
		if next.Gas.MinPrice != nil {
			lowest = *next.Gas.MinPrice
		}
	}
	if !highest.IsZero() && lowest.Cmp(highest) > 0 {
		return nil, fault.New(fault.BadOption, "set the bounds of the gas price", "-maxGasPrice "+highest.String()+" is less than the least, "+lowest.String())
	}
	// It does not fail: both were looked at above.
	return func() { _ = n.gasBounds().SetGasBounds(&lowest, &highest) }, nil
}

// prepareFaceValue: the bound on what a ticket pays.
func (n *node) prepareFaceValue(_ context.Context, now, next *config.Config) (func(), error) {
	if n.chain == nil || !reload.Changed(now, next, "maxFaceValue") {
		return nil, nil
	}
	face := next.Tickets.MaxFaceValue
	if !face.IsZero() && face.Cmp(n.Config.Tickets.EV) <= 0 {
		return nil, fault.New(fault.BadOption, "bound the face value", "-maxFaceValue "+face.String()+" is not more than -ticketEV")
	}
	return func() {
		if set := n.earning.SetMaxFaceValue(); set != nil {
			_ = set(face) // checked above
		}
	}, nil
}

// prepareSecrets: a node that let no workers in has no door that could be opened.
func (n *node) prepareSecrets(_ context.Context, _, next *config.Config) (func(), error) {
	if n.live.secrets == nil {
		return nil, nil
	}
	secrets := peers.Secrets(next)
	if len(secrets) == 0 {
		return nil, fault.New(fault.BadOption, "take over -orchSecret", "workers are let in by a secret, and there is none any more; a restart closes their door")
	}
	return func() { n.live.secrets.Set(secrets...) }, nil
}

func (n *node) prepareCert(_ context.Context, _, next *config.Config) (func(), error) {
	if n.live.cert == nil {
		return nil, nil
	}
	return n.live.cert.Replace(next.TLS.Cert, next.TLS.Key)
}

func (n *node) prepareWorkerCA(_ context.Context, _, next *config.Config) (func(), error) {
	if n.live.listener == nil || n.workerServices == nil {
		return nil, nil
	}
	ca, err := peers.WorkerCA(next.TLS.WorkerCA)
	if err != nil {
		return nil, err
	}
	return func() { n.live.listener.SetWorkerCA(ca) }, nil
}
