package main

import (
	"context"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

// prepare makes ready to take over what next says otherwise than now. Whatever may fail
// does so here, before anything has changed; what it returns only sets values.
func (n *node) prepare(ctx context.Context, now, next *config.Config) (all []func(), err error) {
	for _, step := range []func(context.Context, *config.Config, *config.Config) (func(), error){
		n.prepareLog, n.prepareLimits, n.preparePrices, n.prepareCaps, n.prepareMoney,
		n.prepareSecrets, n.prepareKeys, n.prepareCert, n.prepareWorkerCA,
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
// unless the options say something new.
func (n *node) prepareLog(_ context.Context, now, next *config.Config) (func(), error) {
	if now.Logging.Verbosity == next.Logging.Verbosity && now.Logging.VModule == next.Logging.VModule {
		return nil, nil
	}
	return func() {
		// Neither fails: the configuration has judged them.
		_ = n.sink.SetVerbosity(next.Logging.Verbosity)
		_ = n.sink.SetVModule(next.Logging.VModule)
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
		}
		if now.Limits.MaxConnections == next.Limits.MaxConnections {
			return
		}
		if n.live.listener != nil {
			n.live.listener.SetConnections(connectionsOf(next))
		}
		if n.gateway != nil {
			n.gateway.SetConnections(connectionsOf(next))
		}
	}, nil
}

func (n *node) preparePrices(ctx context.Context, now, next *config.Config) (func(), error) {
	if n.prices == nil || n.prices.book == nil || !changed(now, next, "pricePerUnit", "pixelsPerUnit", "pricePerGateway") {
		return nil, nil
	}
	return n.prices.book.Replace(ctx, next.Prices.Default(), next.Prices.Gateways)
}

func (n *node) prepareCaps(ctx context.Context, now, next *config.Config) (func(), error) {
	if n.prices == nil || n.prices.caps == nil || !changed(now, next, "maxPricePerUnit", "pixelsPerUnit", "maxPricePerCapability") {
		return nil, nil
	}
	return n.prices.caps.Replace(ctx, next.Prices.Limits())
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

// prepareMoney: the bounds on gas and on what tickets pay.
func (n *node) prepareMoney(_ context.Context, now, next *config.Config) (func(), error) {
	if n.chain == nil || !changed(now, next, "maxFaceValue", "minGasPrice", "maxGasPrice") {
		return nil, nil
	}
	lowest, highest := n.chain.network.MinGasPrice, next.Gas.MaxPrice
	if next.Gas.MinPrice != nil {
		lowest = *next.Gas.MinPrice
	}
	if !highest.IsZero() && lowest.Cmp(highest) > 0 {
		return nil, fault.New(fault.BadOption, "set the bounds of the gas price", "-maxGasPrice "+highest.String()+" is less than the least, "+lowest.String())
	}
	face := next.Tickets.MaxFaceValue
	if !face.IsZero() && face.Cmp(n.cfg.Tickets.EV) <= 0 {
		return nil, fault.New(fault.BadOption, "bound the face value", "-maxFaceValue "+face.String()+" is not more than -ticketEV")
	}
	return func() {
		// Neither fails: both were looked at above.
		_ = n.gasBounds().SetGasBounds(&lowest, &highest)
		if f := n.faceValue(); f != nil {
			_ = f.SetMaxFaceValue(face)
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
	if n.live.listener == nil || n.doors == nil {
		return nil, nil
	}
	ca, err := authorities509(next.TLS.WorkerCA)
	if err != nil {
		return nil, err
	}
	return func() { n.live.listener.SetWorkerCA(ca) }, nil
}
