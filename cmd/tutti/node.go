package main

import (
	"context"

	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/orchestrator"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/cmd/tutti/internal/worker"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/admin"
)

// node is the process's parts, introduced to one another but not started.
type node struct {
	adminview.Parts
	// migration is what the node takes over from an existing one.
	migration *orchestrator.Migration
	admin     *admin.Server
}

// newNode builds what the configuration asks for. It opens files and starts the
// media workers; everything else starts with its component.
func newNode(ctx context.Context, cfg *config.Config, sink *logging.Sink, p *process.Process,
	ahead *media.Ahead) (*node, error) {
	env, err := nodeenv.New(cfg, sink, p, health.RootCauses())
	if err != nil {
		return nil, err
	}
	n := &node{Parts: adminview.Parts{Env: env, Media: media.New(env, ahead)}, migration: orchestrator.NewMigration(env)}
	if n.Chain, err = chain.New(ctx, chain.Options{Config: cfg, Board: n.Board, Log: n.Log, CopyKeys: n.migration.CopyKeys,
		Add: n.Add}); err != nil {
		return nil, err
	}
	if cfg.Roles.Orchestrator && orchestrator.TakesWork(cfg) {
		if err := n.addOrchestrator(ctx); err != nil {
			return nil, err
		}
	}
	if !cfg.Roles.Orchestrator {
		if n.Worker, err = worker.New(ctx, n.Env, n.Media); err != nil {
			return nil, err
		}
		n.Models = n.Worker.Models
	}
	if cfg.Roles.Gateway {
		if err := n.addGateway(ctx); err != nil {
			return nil, err
		}
	}
	if cfg.Roles.Redeemer {
		if n.Earning, err = orchestrator.NewRedeemer(ctx, n.Env, n.Chain); err != nil {
			return nil, err
		}
	}
	if cfg.Roles.RemoteSigner {
		if err := n.addSigner(ctx); err != nil {
			return nil, err
		}
	}
	if cfg.Roles.Router {
		if err := n.addRouter(); err != nil {
			return nil, err
		}
	}
	if n.Earning != nil {
		if err := n.migration.Settle(ctx, n.Chain, n.Earning); err != nil {
			return nil, err
		}
	}
	books := adminview.NewBooks(&n.Parts)
	if err := adminview.WatchMetrics(&n.Parts, func() []string { return adminview.NotReady(&n.Parts) }); err != nil {
		return nil, err
	}
	opt := adminview.Options(&n.Parts, books)
	n.addProcess(&opt)
	n.admin = admin.New(opt)
	n.Add(n.admin)
	return n, nil
}
