package main

import (
	"context"

	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/earning"
	"github.com/tuttinode/tutti/cmd/tutti/internal/gateway"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/migration"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/cmd/tutti/internal/reload"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/reachabilitycheck"
)

// node is the process's parts, introduced to one another but not started.
type node struct {
	*nodeenv.Env
	// limiter is nil on a node without sessions.
	limiter interface{ SetMaxSessions(n int) }
	// chain is nil off-chain.
	chain *chain.Part
	// prices are nil off-chain; earning is nil on a node that no gateway pays.
	prices  *prices.Tables
	earning *earning.Part
	// books are what the admin API reads of both; empty off-chain.
	books admin.Books
	// migration is what the node takes over from an existing one.
	migration *migration.Part
	// gateway is nil on nodes that are none.
	gateway *gateway.Part
	// address is nil where nobody reaches the node.
	address *reachabilitycheck.Checker
	// media transcodes segments for the node.
	media *media.Part
	// tools is nil where no AI job needs them.
	tools media.Tools
	// doors are nil where no worker of another machine may register.
	workerServices *workerServices
	// live are the parts that change while the node runs.
	live live
	// ai is the AI part of an orchestrator or AI worker, nil on other nodes.
	ai *modelserver.Part
	// reloader reads the configuration again.
	reloader *reload.Reloader
	// asked is what gateways asked, and the place in the pool.
	jobRecords jobRecords
	// panel is what the dashboard is made of.
	dashboardParts dashboardParts
}

// newNode builds what the configuration asks for. It opens files and starts the
// media workers; everything else starts with its component.
func newNode(ctx context.Context, cfg *config.Config, sink *logging.Sink, p *process.Process, ahead *media.Ahead) (*node, error) {
	env, err := nodeenv.New(cfg, sink, p, chain.Causes())
	if err != nil {
		return nil, err
	}
	n := &node{Env: env, media: media.New(env, ahead), migration: migration.New(env)}
	if n.chain, err = chain.New(ctx, chain.Options{Config: cfg, Board: n.Board, Log: n.Log, CopyKeys: n.migration.CopyKeys, Add: n.Add}); err != nil {
		return nil, err
	}
	if cfg.Roles.Orchestrator && takesWork(cfg) {
		if err := n.addOrchestrator(ctx); err != nil {
			return nil, err
		}
	}
	if err := n.addWorkerRoles(ctx); err != nil {
		return nil, err
	}
	if cfg.Roles.Gateway {
		if err := n.addGateway(ctx); err != nil {
			return nil, err
		}
	}
	if cfg.Roles.Redeemer {
		if n.earning, err = earning.NewRedeemer(ctx, n.Env, n.chain); err != nil {
			return nil, err
		}
	}
	if cfg.Roles.Router {
		if err := n.addRouter(); err != nil {
			return nil, err
		}
	}
	if n.earning != nil {
		if err := n.migration.Settle(ctx, n.chain, n.earning); err != nil {
			return nil, err
		}
	}
	if err := n.addBooks(ctx); err != nil {
		return nil, err
	}
	if err := n.watchNode(); err != nil {
		return nil, err
	}
	n.addAdmin()
	return n, nil
}
