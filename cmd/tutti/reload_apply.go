package main

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
)

// prepare makes ready to take over what next says otherwise than now. Whatever may fail
// does so here, before anything has changed; what it returns only sets values.
func (n *node) prepare(ctx context.Context, now, next *config.Config) (all []func(), err error) {
	for _, step := range []func(context.Context, *config.Config, *config.Config) (func(), error){
		n.prepareLog, n.prepareLimits, n.preparePrices, n.prepareCaps, n.prepareGas, n.prepareFaceValue,
		n.prepareSecrets, n.prepareKeys, n.prepareCert, n.prepareWorkerCA,
		n.prepareModels,
	} {
		apply, err := step(ctx, now, next)
		if err != nil {
			return nil, err
		}
		if apply != nil {
			all = append(all, apply)
		}
	}
	return all, nil
}

// prepareLog: both were checked with the configuration. What the admin API set stays
// unless its option says something new.
func (n *node) prepareLog(_ context.Context, now, next *config.Config) (func(), error) {
	was, is := now.Logging, next.Logging
	return func() {
		// Neither fails: the configuration has judged them.
		if was.Verbosity != is.Verbosity {
			_ = n.sink.SetVerbosity(is.Verbosity)
		}
		if was.VModule != is.VModule {
			_ = n.sink.SetVModule(is.VModule)
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
			n.resultBytes.Store(int64(next.Limits.ResultMemory))
		}
		if now.Limits.MaxConnections == next.Limits.MaxConnections && now.Limits.PerAddress == next.Limits.PerAddress {
			return
		}
		if n.live.listener != nil {
			n.live.listener.SetConnections(n.files.Connections(next))
			n.live.listener.SetPerAddress(next.Limits.PerAddress)
		}
		if n.gateway != nil {
			n.gateway.SetConnections(n.files.Connections(next))
			n.gateway.SetPerAddress(next.Limits.PerAddress)
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
	if changed(now, next, "pricePerUnit", "pixelsPerUnit") {
		u := next.Prices.Default()
		fallback = &u
	}
	var gateways map[core.Address]core.UnitPrice
	if changed(now, next, "pricePerGateway") {
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
	if changed(now, next, "maxPricePerUnit", "pixelsPerUnit") {
		general = &limits.General
	}
	var single *pricing.Limits
	if changed(now, next, "maxPricePerCapability") {
		single = &limits
	}
	return n.prices.Caps.Replace(ctx, general, single)
}

// changed reports whether one of the options has another value.
func changed(now, next *config.Config, options ...string) bool {
	for _, d := range config.Compare(now, next) {
		for _, o := range options {
			if d.Option == o {
				return true
			}
		}
	}
	return false
}

// prepareGas: the bounds on the price of gas. One that its option leaves as it was is as
// the admin API set it, and the two must agree.
func (n *node) prepareGas(_ context.Context, now, next *config.Config) (func(), error) {
	if n.chain == nil || !changed(now, next, "minGasPrice", "maxGasPrice") {
		return nil, nil
	}
	inForce := n.chain.Transactions.Prices()
	lowest, highest := inForce.Min, inForce.Max
	if changed(now, next, "maxGasPrice") {
		highest = next.Gas.MaxPrice
	}
	if changed(now, next, "minGasPrice") {
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
	if n.chain == nil || !changed(now, next, "maxFaceValue") {
		return nil, nil
	}
	face := next.Tickets.MaxFaceValue
	if !face.IsZero() && face.Cmp(n.cfg.Tickets.EV) <= 0 {
		return nil, fault.New(fault.BadOption, "bound the face value", "-maxFaceValue "+face.String()+" is not more than -ticketEV")
	}
	return func() {
		if set := n.setMaxFaceValue(); set != nil {
			_ = set(face) // checked above
		}
	}, nil
}

// prepareSecrets: a node that let no workers in has no door that could be opened.
func (n *node) prepareSecrets(_ context.Context, _, next *config.Config) (func(), error) {
	if n.live.secrets == nil {
		return nil, nil
	}
	secrets := workerSecrets(next)
	if len(secrets) == 0 {
		return nil, fault.New(fault.BadOption, "take over -orchSecret", "workers are let in by a secret, and there is none any more; a restart closes their door")
	}
	return func() { n.live.secrets.Set(secrets...) }, nil
}

func (n *node) prepareKeys(_ context.Context, _, next *config.Config) (func(), error) {
	if n.live.keys == nil {
		return nil, nil
	}
	return n.live.keys.Replace(next.Gateway.APIKeys)
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
	ca, err := authorities509(next.TLS.WorkerCA)
	if err != nil {
		return nil, err
	}
	return func() { n.live.listener.SetWorkerCA(ca) }, nil
}
