package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	served "github.com/tuttinode/tutti/server/alert"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/cmd/tutti/internal/alertcmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/datalock"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/migratecmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/reachabilitycheck"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// node is the process's parts, introduced to one another but not started.
type node struct {
	started time.Time
	cfg     *config.Config
	log     *slog.Logger
	sink    *logging.Sink
	board   *health.Board
	metrics *metrics.Metrics
	// components are in starting order.
	components []lifecycle.Component
	// limiter is nil on a node without sessions.
	limiter interface{ SetMaxSessions(n int) }
	// aiPools is nil on nodes that are no gateway.
	aiPools func() []airouting.Snapshot
	// chain is nil off-chain.
	chain *chain.Part
	// prices are nil off-chain; earning is nil on a node that nobody pays.
	prices  *prices.Tables
	earning *earning
	// storing is nil where the ledger is in tutti.db.
	storing *storing
	// paying is nil on a node that pays nobody.
	paying *paying
	// books are what the admin API reads of both; empty off-chain.
	books admin.Books
	// old is an existing node that is moved from, nil for none.
	existingNode *migratecmd.Node
	// gateway is nil on nodes that are none.
	gateway *gateway.Gateway
	// address is nil where nobody reaches the node.
	address *reachabilitycheck.Checker
	// media is whoever transcodes segments for the node, nil where nobody does.
	media *pool.Pool
	// kept is how many bytes of renditions an orchestrator keeps to be fetched.
	resultBytes atomic.Int64
	// settled says that whoever transcodes has had time to begin.
	settled atomic.Bool
	// tools is nil where no AI job needs them.
	tools media.Tools
	// doors are nil where no worker of another machine may register.
	workerServices *workerServices
	// gpus is nil on a node that was given no GPU to transcode on.
	gpus *gpus.Watcher
	// keeper keeps their workers, nil like gpus.
	keeper *devices.Keeper
	// budget is who may use how much of the GPUs' memory.
	budget *gpu.Budget
	// live are the parts that change while the node runs, process what becomes of the
	// process itself.
	live    live
	process *process.Process
	// ahead are the GPUs of the process before, nil without one.
	ahead *media.Ahead
	// ai is the AI part of an orchestrator or AI worker, nil on other nodes; modelGPUs are
	// the GPUs that its models file is checked against.
	ai        *aiWork
	modelGPUs atomic.Pointer[[]models.Device]
	// cards are the GPUs that models were told of last.
	modelCards atomic.Pointer[[]gpu.Device]
	// reloads is told how readings of the configuration went; nil without -monitor.
	reloads *metrics.Reloads
	// files are the descriptors that the process may have.
	files *process.Descriptors
	// asked is what gateways asked, and the place in the pool.
	jobRecords jobRecords
	// panel is what the dashboard is made of.
	dashboardParts dashboardParts
}

// newNode builds what the configuration asks for. It opens files and starts the
// media workers; everything else starts with its component.
func newNode(ctx context.Context, cfg *config.Config, sink *logging.Sink, p *process.Process, ahead *media.Ahead) (*node, error) {
	n := &node{started: time.Now(), cfg: cfg, log: sink.Logger(), sink: sink, process: p, ahead: ahead, budget: gpu.NewBudget()}
	n.board = health.New(n.log, time.Now, chain.Causes())
	if err := os.MkdirAll(cfg.Storage.DataDir, 0o700); err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, "make data directory "+cfg.Storage.DataDir, err)
	}
	locks, err := datalock.LockAll(cfg, n.log)
	if err != nil {
		return nil, err
	}
	n.components = locks
	n.files = process.NewDescriptors(n.board, time.Now)
	n.add(new(process.Headroom))
	n.add(n.files)
	n.add(sink.Watch(n.board))
	if err := n.addAlerts(); err != nil {
		return nil, err
	}
	if err := n.addMetrics(); err != nil {
		return nil, err
	}
	if n.chain, err = chain.New(ctx, chain.Options{Config: cfg, Board: n.board, Log: n.log, CopyKeys: n.copyKeys, Add: n.add}); err != nil {
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
		if err := n.addRedeemer(ctx); err != nil {
			return nil, err
		}
	}
	if cfg.Roles.Router {
		if err := n.addRouter(); err != nil {
			return nil, err
		}
	}
	if err := n.addMigration(ctx); err != nil {
		return nil, err
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

func (n *node) add(c lifecycle.Component) { n.components = append(n.components, c) }

func (n *node) addMetrics() error {
	if !n.cfg.Monitoring.Enabled {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	n.metrics = metrics.New(metrics.Options{NodeID: host, Version: release.Version, PerStream: n.cfg.Monitoring.PerStream})
	if err := n.metrics.WatchConditions(n.board); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	if n.reloads, err = n.metrics.Reloads(n.started); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// recorder counts for one role, or nothing without -monitor.
func (n *node) recorder(nodeType string) core.Recorder {
	if n.metrics == nil {
		return n.seen(nodeType, core.NopRecorder{})
	}
	return n.seen(nodeType, n.metrics.Recorder(nodeType))
}

// watchSessions has a role's sessions looked up at every scrape: their limit is there
// before the first, and changes with the devices.
func (n *node) watchSessions(nodeType string, source func() (inUse, limit int)) {
	if n.metrics != nil {
		n.metrics.WatchSessions(nodeType, source)
	}
}

// addAlerts makes who is told of lasting troubles, if anybody is.
func (n *node) addAlerts() error {
	senders, err := alertcmd.Senders(n.cfg)
	if err != nil || len(senders) == 0 {
		return err
	}
	n.add(served.New(served.Options{
		Board: n.board, Senders: senders, After: n.cfg.Monitoring.AlertAfter,
		Node: alertcmd.NodeName(n.cfg), Version: release.Version, Log: n.log, Now: time.Now,
	}))
	return nil
}

// connections bounds a public listener of the node.
func (n *node) connections() int { return n.files.Connections(n.cfg) }
