package main

import (
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/dashboard"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	reasons "github.com/tuttinode/tutti/core/jobdiagnosis"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/orchestratorstatus"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/metrics"
)

// dashboardParts is where the dashboard's parts are picked up while the node is put together.
// The zero value shows nothing.
type dashboardParts struct {
	series *dashboard.Series
	// sessions is nil on a node that transcodes for nobody.
	sessions *dashboard.Sessions
	// rules is nil on a node that is no orchestrator.
	rules *orchestrate.Orchestrator
	// models are those of this machine.
	models func() []inference.ModelState
	// reloaded is the configuration as it was read anew last, nil before.
	reloaded atomic.Pointer[reloaded]
}

// reloaded is a configuration that was read while the node runs.
type reloaded struct {
	cfg *config.Config
	at  time.Time
}

// workView describes the jobs to the admin API.
func (n *node) workView() admin.Work {
	w := admin.Work{
		Gate: gate{n}.Gate, ModelStates: modelList{n}.Models, SeriesStep: dashboard.Step, Explain: n.explain(),
		Workers: n.workers(), Models: n.servedModels(), AIPools: n.aiPools,
	}
	if n.dashboardParts.series != nil {
		w.Series = n.dashboardParts.series.Points
	}
	switch {
	case n.dashboardParts.sessions != nil:
		w.Sessions = n.dashboardParts.sessions.Live
	case n.gateway != nil:
		w.Sessions = streams{n.gateway}.Live
	}
	if n.gateway != nil {
		w.NetworkCapabilities = n.networkCapabilities
	}
	if n.jobRecords.book != nil {
		w.Refusals = refusals{n.jobRecords.book}.Refusals
	}
	if n.gpus != nil {
		w.GPUs = graphics{n}.GPUs
	}
	return w
}

// counts is the series, where a role's events are to be in it: a process that is both
// gateway and orchestrator is shown as an orchestrator, or each segment would count
// twice.
func (n *node) counts(nodeType string) bool {
	if n.dashboardParts.series == nil {
		n.dashboardParts.series = dashboard.NewSeries(time.Now)
	}
	if n.cfg.Roles.Gateway && n.cfg.Roles.Orchestrator {
		return nodeType != metrics.Gateway
	}
	return true
}

// seen lets the dashboard see what a recorder is told.
func (n *node) seen(nodeType string, r core.Recorder) core.Recorder {
	if !n.counts(nodeType) {
		return r
	}
	return n.dashboardParts.series.Recorder(r)
}

// seenJobs is seen for AI jobs.
func (n *node) seenJobs(nodeType string, r inference.Recorder) inference.Recorder {
	if !n.counts(nodeType) {
		return r
	}
	return n.dashboardParts.series.Inference(r)
}

// watched lets the dashboard see the sessions.
func (n *node) watched(next core.Transcoder) core.Transcoder {
	n.dashboardParts.sessions = dashboard.Watch(next, time.Now, n.dashboardParts.series)
	return n.dashboardParts.sessions
}

// gate says whether the node takes work.
type gate struct{ n *node }

// Gate looks at every door of the node.
func (g gate) Gate() adminapi.Gate {
	var out adminapi.Gate
	if last := g.n.dashboardParts.reloaded.Load(); last != nil {
		out.Reloaded = &last.at
	}
	if rules := g.n.dashboardParts.rules; rules != nil {
		out.Stopping = rules.Draining()
		if g.n.media != nil {
			out.WorkKinds = append(out.WorkKinds, videoDoor(rules.Usage(), rules.Capped, out.Stopping))
		}
	}
	if d, is := g.workerDoor(); is {
		out.WorkKinds = append(out.WorkKinds, d)
	}
	if d, is := g.aiDoor(out.Stopping); is {
		out.WorkKinds = append(out.WorkKinds, d)
	}
	if place := g.n.chainStatus(); place != nil && g.n.dashboardParts.rules != nil {
		if s, known := place(); known {
			unseen(out.WorkKinds, &s)
		}
	}
	if g.n.gateway != nil {
		out.WorkKinds = append(out.WorkKinds, g.n.streamsDoor(g.n.gateway.StreamCapacity()))
	}
	for _, d := range out.WorkKinds {
		out.Taking = out.Taking || d.Open
	}
	return out
}

// unseen says at open doors why no gateway finds them on the chain.
func unseen(doors []adminapi.WorkKind, s *orchestratorstatus.Status) {
	code, says := reasons.NotFoundReason(s)
	for i := range doors {
		if d := &doors[i]; d.Open {
			d.Code, d.Reason = string(code), says
		}
	}
}

// workerDoor is that of devices which work for an orchestrator elsewhere: open while one
// is ready and the orchestrator knows of it.
func (g gate) workerDoor() (adminapi.WorkKind, bool) {
	if g.n.dashboardParts.rules != nil || g.n.media == nil || !g.n.cfg.Roles.Transcoder {
		return adminapi.WorkKind{}, false
	}
	use := g.n.media.Usage()
	d := adminapi.WorkKind{Name: "video, for an orchestrator", InUse: use.Sessions, Limit: use.Limit}
	if g.n.media.Ready() == 0 {
		d.Code, d.Reason = string(fault.NoTranscoders), "no device is ready"
	}
	if away := g.n.unregistered(kindTranscoder); away != "" && d.Code == "" {
		d.Code, d.Reason = string(fault.WorkerNotRegistered), away
	}
	d.Open = d.Code == ""
	return d, true
}

func videoDoor(u orchestrate.Usage, capped func() *fault.Fault, stopping bool) adminapi.WorkKind {
	d := adminapi.WorkKind{Name: "video", InUse: u.Sessions, Limit: u.Limit, Open: !stopping && !u.Full()}
	switch {
	case d.Open:
	case stopping:
		d.Code, d.Reason = string(fault.Draining), "the node is stopping: it finishes what it has"
	case u.Refusal != nil:
		d.Code = string(u.Refusal.Code)
		d.Reason = fault.ForOperator(u.Refusal)
	default:
		d.Code, d.Reason = string(fault.OrchestratorCapped), capped().Detail
	}
	return d
}

// aiDoor is open while a model takes jobs, or would be loaded for one.
func (g gate) aiDoor(stopping bool) (adminapi.WorkKind, bool) {
	states := modelList(g).states()
	if g.n.workerServices != nil {
		for _, w := range g.n.workerServices.ai.Workers() {
			states = append(states, w.Models...)
		}
	}
	elsewhere := g.n.dashboardParts.rules == nil && g.n.cfg.Roles.AIWorker
	if len(states) == 0 && !elsewhere {
		return adminapi.WorkKind{}, false
	}
	d := adminapi.WorkKind{Name: "AI"}
	if elsewhere {
		d.Name = "AI, for an orchestrator"
	}
	for i := range states {
		m := &states[i]
		d.InUse += m.InUse
		d.Limit += m.Capacity
		d.Open = d.Open || m.Offered()
		if !m.Offered() && d.Code == "" && m.Reason != "" {
			d.Code, d.Reason = string(m.Code), m.Model.String()+": "+m.Reason
		}
	}
	switch {
	case stopping:
		d.Open, d.Code, d.Reason = false, string(fault.Draining), "the node is stopping: it finishes what it has"
	case d.Open && elsewhere && g.n.unregistered(kindAI) != "":
		d.Open, d.Code, d.Reason = false, string(fault.WorkerNotRegistered), g.n.unregistered(kindAI)
	case d.Open:
		d.Code, d.Reason = "", ""
	case d.Reason == "":
		d.Reason = "no model is ready"
	}
	return d, true
}

// streamsDoor is a gateway's: shut also while there is nobody to give streams to.
func (n *node) streamsDoor(inUse, limit int) adminapi.WorkKind {
	d := adminapi.WorkKind{Name: "streams", Open: inUse < limit, InUse: inUse, Limit: limit}
	if !d.Open {
		d.Reason = "as many streams as a gateway takes"
	}
	for _, c := range n.board.Snapshot() {
		if c.Code == noAnswer.Code && c.About == noAnswer.About {
			d.Open, d.Code, d.Reason = false, string(c.Code), c.Detail
		}
	}
	return d
}
