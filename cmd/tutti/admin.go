package main

import (
	"context"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
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
		Limiter:      n.limiter,
		Verbosity:    n.sink,
		Conditions:   n.board,
		Status:       statusSource{n},
		Node:         statusSource{n},
		AIPools:      n.pools,
		Workers:      n.workers(),
		Models:       n.servedModels(),
		Metrics:      page,
		Books:        n.books,
		Pages:        web.OperatorPages(n.standing()),
		Dashboard:    n.dashboard(),
		Explainer:    n.explainer(),
		Ready:        n.notReady,
	}
	if path := n.cfg.Addresses.AdminSocket; path != "" {
		opt.Listen = "unix:" + path
	}
	if n.address != nil {
		opt.ServiceAddress = serviceAddress{n.address}
	}
	opt.Market = n.prices.market(n.faceValue())
	if n.gateway != nil {
		opt.Market.Renditions, opt.NetworkCapabilities = n.gateway, n.networkCapabilities
	}
	if n.chain != nil {
		opt.Chain, opt.Reward = n.adminChain(), n.chain.caller
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

// adminChain is the chain for the admin API.
func (n *node) adminChain() *admin.Chain {
	c := n.chain
	return &admin.Chain{
		Rounds: c.Chain, Stakes: c.Chain, Settings: c.Chain, Funds: c.Chain, Actor: c.Chain, Views: c.Chain,
		Orchestrator: c.orchestrator, Gas: n.gasBounds(), Signer: messages{c}, Endpoints: endpoints{c},
		Contracts: c.Chain,
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

func (n *node) gasBounds() gasBounds {
	g := gasBounds{c: n.chain}
	if n.earning != nil && n.earning.recipient != nil {
		g.taken = n.earning.recipient
	}
	return g
}

// gasBounds are the operator's bounds on the price of gas, until the next start.
type gasBounds struct {
	c *chainWork
	// taken is nil where no tickets are.
	taken interface{ SetMinGasPrice(core.Wei) }
}

// GasPrices are the price of the moment and the bounds.
func (g gasBounds) GasPrices(ctx context.Context) (protocol.GasPrices, error) {
	prices := g.c.Transactions.Prices()
	current, err := g.c.Node.Endpoints.GasPrice(ctx)
	prices.Current = current
	return prices, err
}

// SetGasBounds changes what is not nil; 0 takes a bound away.
func (g gasBounds) SetGasBounds(lowest, highest *core.Wei) error {
	now := g.c.Transactions.Prices()
	if lowest != nil {
		now.Min = *lowest
	}
	if highest != nil {
		now.Max = *highest
	}
	if !now.Max.IsZero() && now.Min.Cmp(now.Max) > 0 {
		return fault.New(fault.AdminBadParam, "set the bounds of the gas price", now.Min.String()+" is more than "+now.Max.String())
	}
	g.c.Transactions.SetMinGasPrice(now.Min)
	if g.taken != nil {
		g.taken.SetMinGasPrice(now.Min) // tickets are made for what redeeming them costs
	}
	g.c.Transactions.SetMaxGasPrice(now.Max)
	return nil
}

// messages signs messages in the name of the account.
type messages struct{ c *chainWork }

// SignMessage signs a personal message.
func (s messages) SignMessage(_ context.Context, message []byte) ([]byte, error) {
	return s.c.Signer.SignText(message)
}

// SignTypedData signs an EIP-712 document.
func (s messages) SignTypedData(_ context.Context, document []byte) ([]byte, error) {
	return s.c.Signer.SignTypedData(document)
}

// endpoints tell how the chain's endpoints fare.
type endpoints struct{ c *chainWork }

// Endpoints are as the pool judges them.
func (e endpoints) Endpoints() []adminapi.Endpoint {
	out := []adminapi.Endpoint{}
	for _, s := range e.c.Node.Endpoints.Status().Endpoints {
		out = append(out, adminapi.Endpoint{
			Name: s.Name, State: string(s.State), Head: s.Head, Lag: s.Lag, ErrorRate: s.ErrorRate,
			LatencyMs: float64(s.Latency) / float64(time.Millisecond), Detail: s.Detail,
		})
	}
	return out
}
