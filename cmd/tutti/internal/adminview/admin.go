package adminview

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/web"
)

// Options returns those of the admin API; what changes the process itself is missing.
func Options(p *Parts, books admin.Books) admin.Options {
	var page http.Handler
	if p.Metrics != nil {
		page = p.Metrics.Handler(p.Log)
	}
	opt := admin.Options{
		Access: admin.Access{
			DataDir: p.Config.Storage.DataDir, CompatTransactions: p.Config.Chain.AdminTransactions,
			Profiling: p.Config.Monitoring.Profiling,
			Token:     p.Config.Monitoring.AdminToken,
		},
		Listen:       p.Config.Addresses.AdminListen.Addr(),
		Orchestrator: p.Config.Roles.Orchestrator,
		Redeemer:     p.Config.Roles.Redeemer,
		MaxSessions:  p.Config.Limits.MaxSessions.N,
		Log:          p.Log,
		Now:          time.Now,
		Metrics:      page,
		Pages:        web.OperatorPages(p.Chain.Status(p.Config)),
		Node:         nodeView(p),
		Work:         workView(p),
		Books:        books,
	}
	if path := p.Config.Addresses.AdminSocket; path != "" {
		opt.Listen = "unix:" + path
	}
	opt.Market = p.Prices.Market(p.Earning.SetMaxFaceValue())
	if p.Gateway != nil {
		opt.Market.Renditions = p.Gateway.Server
	}
	if p.Chain != nil {
		opt.Chain = chainView(p)
		if q := quotes(p); q != nil {
			opt.Market.Quotes = q
		}
		if p.Paying() != nil {
			t := p.Config.Tickets
			opt.Market.TicketLimits = &adminapi.TicketLimits{MaxTicketEV: t.MaxEV, MaxTotalEV: t.MaxTotalEV,
				DepositMultiplier: t.DepositMultiplier}
		}
	}
	return opt
}

// nodeView describes the process to the admin API. The process adds what changes it.
func nodeView(p *Parts) admin.Node {
	s := statusSource{p}
	v := admin.Node{
		Describe: s.Node, Status: s.Status, Conditions: p.Board.Snapshot, Ready: func() []string { return NotReady(p) },
		Settings: settings{p}.Settings,
		LogTail:  NewLogTail(p.Sink).Lines, Verbosity: p.Sink,
	}
	v.SetMaxSessions = p.SetMaxSessions()
	if p.Orchestrator != nil {
		v.ServiceAddress = serviceAddress{p.Orchestrator.Address}.ServiceAddress
	}
	return v
}

// chainView returns the chain for the admin API.
func chainView(p *Parts) *admin.Chain {
	c := p.Chain
	return &admin.Chain{
		Rounds: c.Chain, Stakes: c.Chain, Settings: c.Chain, Funds: c.Chain, Actor: c.Chain, Views: c.Chain,
		Orchestrator: c.Orchestrator, Gas: GasBounds(p), Signer: chain.NewMessages(c),
		Endpoints: chain.NewEndpointList(c).Endpoints,
		Contracts: c.Chain, Reward: c.Reward,
	}
}

// statusSource is what the admin API shows of the node.
type statusSource struct{ p *Parts }

// Node returns what kind of node this is.
func (s statusSource) Node() adminapi.Node {
	return adminapi.Node{
		Version: process.Version, Roles: s.p.Roles(), Network: s.p.Config.Chain.Network,
		Offchain:       s.p.Config.Chain.Offchain(),
		NetworkVersion: process.NetworkVersion, Started: s.p.Started.UTC(),
	}
}

// GasBounds change the bounds on the price of gas, and what tickets count with.
func GasBounds(p *Parts) *chain.GasBounds {
	g := chain.NewGasBounds(p.Chain)
	if p.Earning != nil && p.Earning.Recipient != nil {
		g.Taken = p.Earning.Recipient
	}
	return g
}
