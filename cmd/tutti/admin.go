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
	if n.metrics != nil {
		page = n.metrics.Handler(n.log)
	}
	opt := admin.Options{
		Access: admin.Access{
			DataDir: n.cfg.Storage.DataDir, CompatTransactions: n.cfg.Chain.AdminTransactions, Profiling: n.cfg.Monitoring.Profiling,
			Token: n.cfg.Monitoring.AdminToken,
		},
		Listen:       n.cfg.Addresses.AdminListen.Addr(),
		Orchestrator: n.cfg.Roles.Orchestrator,
		Redeemer:     n.cfg.Roles.Redeemer,
		MaxSessions:  n.cfg.Limits.MaxSessions.N,
		Log:          n.log,
		Now:          time.Now,
		Metrics:      page,
		Pages:        web.OperatorPages(n.chainStatus()),
		Node:         n.nodeView(),
		Work:         n.workView(),
		Books:        n.books,
	}
	if path := n.cfg.Addresses.AdminSocket; path != "" {
		opt.Listen = "unix:" + path
	}
	opt.Market = n.prices.Market(n.setMaxFaceValue())
	if n.gateway != nil {
		opt.Market.Renditions = n.gateway
	}
	if n.chain != nil {
		opt.Chain = n.adminChain()
		if q := n.quotes(); q != nil {
			opt.Market.Quotes = q
		}
		if n.paying != nil {
			t := n.cfg.Tickets
			opt.Market.TicketLimits = &adminapi.TicketLimits{MaxTicketEV: t.MaxEV, MaxTotalEV: t.MaxTotalEV, DepositMultiplier: t.DepositMultiplier}
		}
	}
	n.addProcess(&opt)
	n.live.admin = admin.New(opt)
	n.add(n.live.admin)
}

// nodeView describes the process to the admin API. addProcess adds what changes it.
func (n *node) nodeView() admin.Node {
	s := statusSource{n}
	v := admin.Node{
		Describe: s.Node, Status: s.Status, Conditions: n.board.Snapshot, Ready: n.notReady, Settings: settings{n}.Settings,
		LogTail: adminview.NewLogTail(n.sink).Lines, Verbosity: n.sink,
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
		Version: release.Version, Roles: s.n.roles(), Network: s.n.cfg.Chain.Network, Offchain: s.n.cfg.Chain.Offchain(),
		NetworkVersion: release.NetworkVersion, Started: s.n.started.UTC(),
	}
}

func (n *node) gasBounds() *chain.GasBounds {
	g := chain.NewGasBounds(n.chain)
	if n.earning != nil && n.earning.recipient != nil {
		g.Taken = n.earning.recipient
	}
	return g
}
