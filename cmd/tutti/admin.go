package main

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/web"
)

func (n *node) addAdmin() {
	var page http.Handler
	if n.Metrics != nil {
		page = n.Metrics.Handler(n.Log)
	}
	opt := admin.Options{
		Access: admin.Access{
			DataDir: n.Config.Storage.DataDir, CompatTransactions: n.Config.Chain.AdminTransactions, Profiling: n.Config.Monitoring.Profiling,
			Token: n.Config.Monitoring.AdminToken,
		},
		Listen:       n.Config.Addresses.AdminListen.Addr(),
		Orchestrator: n.Config.Roles.Orchestrator,
		Redeemer:     n.Config.Roles.Redeemer,
		MaxSessions:  n.Config.Limits.MaxSessions.N,
		Log:          n.Log,
		Now:          time.Now,
		Metrics:      page,
		Pages:        web.OperatorPages(n.chain.Status(n.Config)),
		Node:         n.nodeView(),
		Work:         n.workView(),
		Books:        n.books,
	}
	if path := n.Config.Addresses.AdminSocket; path != "" {
		opt.Listen = "unix:" + path
	}
	opt.Market = n.prices.Market(n.earning.SetMaxFaceValue())
	if n.gateway != nil {
		opt.Market.Renditions = n.gateway.Server
	}
	if n.chain != nil {
		opt.Chain = n.adminChain()
		if q := n.quotes(); q != nil {
			opt.Market.Quotes = q
		}
		if n.gateway != nil && n.gateway.Paying != nil {
			t := n.Config.Tickets
			opt.Market.TicketLimits = &adminapi.TicketLimits{MaxTicketEV: t.MaxEV, MaxTotalEV: t.MaxTotalEV, DepositMultiplier: t.DepositMultiplier}
		}
	}
	n.addProcess(&opt)
	n.live.admin = admin.New(opt)
	n.Add(n.live.admin)
}

// nodeView describes the process to the admin API. addProcess adds what changes it.
func (n *node) nodeView() admin.Node {
	s := statusSource{n}
	v := admin.Node{
		Describe: s.Node, Status: s.Status, Conditions: n.Board.Snapshot, Ready: n.notReady, Settings: settings{n}.Settings,
		LogTail: adminview.NewLogTail(n.Sink).Lines, Verbosity: n.Sink,
	}
	if n.limiter != nil {
		v.SetMaxSessions = n.limiter.SetMaxSessions
	}
	if n.address != nil {
		v.ServiceAddress = serviceAddress{n.address}.ServiceAddress
	}
	return v
}

// adminChain is the chain for the admin API.
func (n *node) adminChain() *admin.Chain {
	c := n.chain
	return &admin.Chain{
		Rounds: c.Chain, Stakes: c.Chain, Settings: c.Chain, Funds: c.Chain, Actor: c.Chain, Views: c.Chain,
		Orchestrator: c.Orchestrator, Gas: n.gasBounds(), Signer: chain.NewMessages(c), Endpoints: chain.NewEndpointList(c).Endpoints,
		Contracts: c.Chain, Reward: c.Reward,
	}
}

// statusSource tells the admin API what kind of node this is.
type statusSource struct{ n *node }

// Node is what kind of node this is.
func (s statusSource) Node() adminapi.Node {
	return adminapi.Node{
		Version: release.Version, Roles: s.n.Roles(), Network: s.n.Config.Chain.Network, Offchain: s.n.Config.Chain.Offchain(),
		NetworkVersion: release.NetworkVersion, Started: s.n.Started.UTC(),
	}
}

func (n *node) gasBounds() *chain.GasBounds {
	g := chain.NewGasBounds(n.chain)
	if n.earning != nil && n.earning.Recipient != nil {
		g.Taken = n.earning.Recipient
	}
	return g
}
