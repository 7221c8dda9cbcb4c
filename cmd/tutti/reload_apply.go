package main

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/cmd/tutti/internal/reload"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
)

// reloadSteps take over what may change while the node runs.
func (n *node) reloadSteps() []reload.Step {
	steps := []reload.Step{n.prepareLog, n.prepareSessions, n.preparePrices, n.prepareCaps, n.prepareGas, n.prepareFaceValue}
	if n.Orchestrator != nil {
		steps = append(steps, n.Orchestrator.ReloadSteps()...)
	}
	if n.Gateway != nil {
		steps = append(steps, n.Gateway.ReloadSteps()...)
	}
	if n.Models != nil {
		steps = append(steps, n.Models.Prepare(n.Book()))
	}
	return steps
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

func (n *node) prepareSessions(_ context.Context, now, next *config.Config) (func(), error) {
	set := n.SetMaxSessions()
	if set == nil || now.Limits.MaxSessions == next.Limits.MaxSessions {
		return nil, nil
	}
	return func() {
		set(next.Limits.MaxSessions.N)
		n.admin.SessionsChanged(next.Limits.MaxSessions.N)
	}, nil
}

// preparePrices: of prices too, what the admin API set stays unless its option says
// something new.
func (n *node) preparePrices(ctx context.Context, now, next *config.Config) (func(), error) {
	if n.Prices == nil || n.Prices.Book == nil {
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
	return n.Prices.Book.Replace(ctx, fallback, gateways)
}

func (n *node) prepareCaps(ctx context.Context, now, next *config.Config) (func(), error) {
	if n.Prices == nil || n.Prices.Caps == nil {
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
	return n.Prices.Caps.Replace(ctx, general, single)
}

// prepareGas: the bounds on the price of gas. One that its option leaves as it was is as
// the admin API set it, and the two must agree.
func (n *node) prepareGas(_ context.Context, now, next *config.Config) (func(), error) {
	if n.Chain == nil || !reload.Changed(now, next, "minGasPrice", "maxGasPrice") {
		return nil, nil
	}
	inForce := n.Chain.Transactions.Prices()
	lowest, highest := inForce.Min, inForce.Max
	if reload.Changed(now, next, "maxGasPrice") {
		highest = next.Gas.MaxPrice
	}
	if reload.Changed(now, next, "minGasPrice") {
		lowest = n.Chain.Network.MinGasPrice
		if next.Gas.MinPrice != nil {
			lowest = *next.Gas.MinPrice
		}
	}
	if !highest.IsZero() && lowest.Cmp(highest) > 0 {
		return nil, fault.New(fault.BadOption, "set the bounds of the gas price", "-maxGasPrice "+highest.String()+" is less than the least, "+lowest.String())
	}
	// It does not fail: both were looked at above.
	return func() { _ = adminview.GasBounds(&n.Parts).SetGasBounds(&lowest, &highest) }, nil
}

// prepareFaceValue: the bound on what a ticket pays.
func (n *node) prepareFaceValue(_ context.Context, now, next *config.Config) (func(), error) {
	if n.Chain == nil || !reload.Changed(now, next, "maxFaceValue") {
		return nil, nil
	}
	face := next.Tickets.MaxFaceValue
	if !face.IsZero() && face.Cmp(n.Config.Tickets.EV) <= 0 {
		return nil, fault.New(fault.BadOption, "bound the face value", "-maxFaceValue "+face.String()+" is not more than -ticketEV")
	}
	return func() {
		if set := n.Earning.SetMaxFaceValue(); set != nil {
			_ = set(face) // checked above
		}
	}, nil
}
