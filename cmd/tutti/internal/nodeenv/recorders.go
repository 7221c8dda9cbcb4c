package nodeenv

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/metrics"
)

// Recorder counts for one role: in the dashboard, and with -monitor in the metrics.
func (e *Env) Recorder(nodeType string) core.Recorder {
	var r core.Recorder = core.NopRecorder{}
	if e.Metrics != nil {
		r = e.Metrics.Recorder(nodeType)
	}
	if !e.counted(nodeType) {
		return r
	}
	return e.series.Recorder(r)
}

// Inference counts AI jobs for one role.
func (e *Env) Inference(nodeType string) inference.Recorder {
	var r inference.Recorder = inference.NopRecorder{}
	if e.Metrics != nil {
		r = e.Metrics.Inference(nodeType)
	}
	if !e.counted(nodeType) {
		return r
	}
	return e.series.Inference(r)
}

// Tickets counts tickets, or nothing without -monitor.
func (e *Env) Tickets() pm.Recorder {
	if e.Metrics == nil {
		return pm.NopRecorder{}
	}
	var roles []string
	for _, role := range []struct {
		on   bool
		name string
	}{{e.Config.Roles.Orchestrator, metrics.Orchestrator}, {e.Config.Roles.Redeemer,
		metrics.Redeemer}, {e.Config.Roles.Gateway || e.Config.Roles.RemoteSigner, metrics.Gateway}} {
		if role.on {
			roles = append(roles, role.name)
		}
	}
	return e.Metrics.Tickets(roles...)
}

// WatchSessions reads a role's sessions at every scrape: the limit is there before the first
// session, and changes with the devices.
func (e *Env) WatchSessions(nodeType string, source func() (inUse, limit int)) {
	if e.Metrics != nil {
		e.Metrics.WatchSessions(nodeType, source)
	}
}

// Series returns the dashboard's series; nil while no role records anything.
func (e *Env) Series() *metrics.DashboardSeries { return e.series }

// counted reports whether a role's events are in the series: a process that is both gateway and
// orchestrator is shown as an orchestrator, or each segment would count twice.
func (e *Env) counted(nodeType string) bool {
	if e.series == nil {
		e.series = metrics.NewDashboardSeries(time.Now)
	}
	if e.Config.Roles.Gateway && e.Config.Roles.Orchestrator {
		return nodeType != metrics.Gateway
	}
	return true
}
