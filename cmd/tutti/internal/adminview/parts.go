package adminview

import (
	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/gateway"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/orchestrator"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/cmd/tutti/internal/worker"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/requeststats"
)

// Parts are the roles of a node and what they share. A role that the node does not have is nil.
type Parts struct {
	*nodeenv.Env
	// Chain is nil off-chain.
	Chain *chain.Part
	// Prices are nil off-chain, except for the bounds of a gateway.
	Prices *prices.Tables
	// Earning is nil on a node that no gateway pays.
	Earning *orchestrator.Earning
	// Media transcodes segments; it exists on every node.
	Media *media.Part
	// Models serves AI jobs on this machine; nil on a node that runs and prices none.
	Models *modelserver.Part
	// Orchestrator is nil on nodes that are none, Worker on nodes that work for none elsewhere.
	Orchestrator *orchestrator.Part
	Worker       *worker.Part
	Gateway      *gateway.Part
	// Signer is nil on nodes that sign for no others.
	Signer *gateway.Signer
	// Reloader reads the configuration again.
	Reloader *nodeenv.Reloader
}

// Book returns the orchestrator's table of prices; nil where nothing has a price.
func (p *Parts) Book() *pricing.Book {
	if p.Prices == nil {
		return nil
	}
	return p.Prices.Book
}

// Rates returns what converts prices; nil where there is no price feed.
func (p *Parts) Rates() *pricing.Rates {
	if p.Prices == nil {
		return nil
	}
	return p.Prices.Rates
}

// Paying returns a gateway's or a remote signer's side of paying; nil on a node that pays nothing.
func (p *Parts) Paying() *gateway.Paying {
	if p.Signer != nil {
		return p.Signer.Paying
	}
	if p.Gateway == nil {
		return nil
	}
	return p.Gateway.Paying
}

// RemoteWorkers returns the services for workers of other machines; nil where none may register.
func (p *Parts) RemoteWorkers() *orchestrator.Workers {
	if p.Orchestrator == nil {
		return nil
	}
	return p.Orchestrator.Workers
}

// Requests returns what gateways asked an orchestrator for; nil on other nodes.
func (p *Parts) Requests() *requeststats.Counter {
	if p.Orchestrator == nil {
		return nil
	}
	return p.Orchestrator.Requests
}

// ModelStates returns those of the models of this machine.
func (p *Parts) ModelStates() []inference.ModelState {
	if p.Models == nil || p.Models.Manager == nil {
		return nil
	}
	return p.Models.Manager.Models()
}

// SetMaxSessions changes the limit of sessions; nil on a node without sessions.
func (p *Parts) SetMaxSessions() func(limit int) {
	switch {
	case p.Orchestrator != nil:
		return p.Orchestrator.SetMaxSessions
	case p.Media.Pool != nil:
		return p.Media.Pool.SetMaxSessions
	}
	return nil
}

// Round returns the present round, 0 while it is not known.
func (p *Parts) Round() protocol.Round {
	if v := p.Chain.View(); v.Known {
		return v.Round.Number
	}
	return 0
}
