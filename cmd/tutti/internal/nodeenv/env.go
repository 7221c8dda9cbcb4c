package nodeenv

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/alert"
	"github.com/tuttinode/tutti/server/metrics"
)

// Env is what all roles of a node share.
type Env struct {
	Started time.Time
	Config  *config.Config
	Log     *slog.Logger
	Sink    *logging.Sink
	Board   *health.Board
	// Metrics and Reloads are nil without -monitor; Reloads counts readings of the configuration.
	Metrics *metrics.Metrics
	Reloads *metrics.Reloads
	// Tracer is nil without -otlpEndpoint.
	Tracer  *telemetry.Tracer
	Process *process.Process
	// Files are the descriptors that the process may have.
	Files *process.Descriptors
	// series is nil until a role records something.
	series *metrics.DashboardSeries
	// components are in starting order.
	components []lifecycle.Component
}

// New locks the node's directories and makes what every role needs. causes name the condition
// that explains another one.
func New(cfg *config.Config, sink *logging.Sink, p *process.Process, causes map[fault.Code][]fault.Code) (*Env, error) {
	e := &Env{Started: time.Now(), Config: cfg, Log: sink.Logger(), Sink: sink, Process: p}
	e.Board = health.New(e.Log, time.Now, causes)
	if err := os.MkdirAll(cfg.Storage.DataDir, 0o700); err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, "make data directory "+cfg.Storage.DataDir, err)
	}
	locks, err := nodedb.LockAll(cfg, e.Log)
	if err != nil {
		return nil, err
	}
	e.components = locks
	e.Files = process.NewDescriptors(e.Board, time.Now)
	e.Add(&process.Headroom{Most: heapLimit(cfg)})
	e.Add(e.Files)
	e.Add(sink.Watch(e.Board))
	if err := e.addAlerts(); err != nil {
		return nil, err
	}
	if err := e.addMetrics(); err != nil {
		return nil, err
	}
	if err := e.addTraces(); err != nil {
		return nil, err
	}
	return e, nil
}

// Add takes a component. Components start in the order in which they are added.
func (e *Env) Add(c lifecycle.Component) { e.components = append(e.components, c) }

// Components are in starting order.
func (e *Env) Components() []lifecycle.Component { return e.components }

// Connections bounds a public listener of the node.
func (e *Env) Connections() int { return e.Files.Connections(e.Config) }

// Roles returns the node's roles as /status shows them.
func (e *Env) Roles() []string {
	r := e.Config.Roles
	out := []string{}
	for _, role := range []struct {
		on   bool
		name string
	}{{r.Orchestrator, "orchestrator"}, {r.Transcoder, "transcoder"}, {r.AIWorker, "aiWorker"}, {r.Gateway,
		"gateway"}, {r.Redeemer, "redeemer"}, {r.Router, "router"}, {r.RemoteSigner, "remoteSigner"}} {
		if role.on {
			out = append(out, role.name)
		}
	}
	return out
}

func (e *Env) addMetrics() error {
	if !e.Config.Monitoring.Enabled {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	e.Metrics = metrics.New(metrics.Options{NodeID: host, Version: process.Version,
		PerStream: e.Config.Monitoring.PerStream, ClientIP: e.Config.Monitoring.ClientIP,
		Exemplars: !e.Config.Monitoring.Traces.Endpoint.IsZero()})
	if err := e.Metrics.WatchConditions(e.Board); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	if e.Reloads, err = e.Metrics.Reloads(e.Started); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// addAlerts adds the sender of alerts, if the configuration names a receiver.
func (e *Env) addAlerts() error {
	senders, err := command.AlertSenders(e.Config)
	if err != nil || len(senders) == 0 {
		return err
	}
	e.Add(alert.New(alert.Options{
		Board: e.Board, Senders: senders, After: e.Config.Monitoring.AlertAfter,
		Node: command.NodeName(e.Config), Version: process.Version, Log: e.Log, Now: time.Now,
	}))
	return nil
}
