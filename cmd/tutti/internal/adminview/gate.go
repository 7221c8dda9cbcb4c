package adminview

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/worker"
	"github.com/tuttinode/tutti/core/adminapi"
	reasons "github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/server/metrics"
)

// workView describes the jobs to the admin API.
func workView(p *Parts) admin.Work {
	w := admin.Work{
		Gate: gate{p}.Gate, ModelStates: modelList{p}.Models, SeriesStep: metrics.DashboardStep, Explain: explain(p),
		Workers: workers(p), Models: modelsOf(p),
	}
	if p.Series() != nil {
		w.Series = p.Series().Points
	}
	switch {
	case p.Media.Sessions != nil:
		w.Sessions = p.Media.Sessions.Live
	case p.Gateway != nil:
		w.Sessions = streams{p.Gateway.Server}.Live
	}
	if p.Gateway != nil {
		w.NetworkCapabilities = func(ctx context.Context) any { return p.Gateway.Server.Capabilities(ctx) }
		w.AIPools = p.Gateway.Broker.Pools
		w.ExplainRoute = p.Gateway.ExplainRoute
		w.Keys = APIKeys{Keys: p.Gateway.Keys(), Now: time.Now, Rand: rand.Reader}
	}
	if p.Orchestrator != nil {
		w.Refusals = refusals{p.Orchestrator.Requests}.Refusals
		w.LiveRunners = p.Orchestrator.LiveRunners()
		if p.live() != nil {
			w.Runners = liveRunners{p}
		}
		if p.capabilities() != nil {
			w.Capabilities = capabilities{p}
		}
	}
	if p.Media.GPUs != nil {
		w.GPUs = graphics{p}.GPUs
	}
	return w
}

// gate says whether the node takes work.
type gate struct{ p *Parts }

// Gate looks at every kind of work of the node.
func (g gate) Gate() adminapi.Gate {
	var out adminapi.Gate
	if last := g.p.Reloader.Last(); last != nil {
		out.Reloaded = &last.At
	}
	if g.p.Orchestrator != nil {
		rules := g.p.Orchestrator.Rules
		out.Stopping = rules.Draining()
		if g.p.Media.Pool != nil {
			out.WorkKinds = append(out.WorkKinds, videoWork(rules.Usage(), rules.Capped, out.Stopping))
		}
	}
	if d, is := g.workerWork(); is {
		out.WorkKinds = append(out.WorkKinds, d)
	}
	if d, is := g.aiWork(out.Stopping); is {
		out.WorkKinds = append(out.WorkKinds, d)
	}
	if place := g.p.Chain.Status(g.p.Config); place != nil && g.p.Orchestrator != nil {
		if s, known := place(); known {
			notFound(out.WorkKinds, &s)
		}
	}
	if d, is := g.liveWork(); is {
		out.WorkKinds = append(out.WorkKinds, d)
	}
	if d, is := g.capabilityWork(); is {
		out.WorkKinds = append(out.WorkKinds, d)
	}
	if g.p.Gateway != nil {
		out.WorkKinds = append(out.WorkKinds, g.p.Gateway.StreamWork())
	}
	for _, d := range out.WorkKinds {
		out.Taking = out.Taking || d.Open
	}
	return out
}

// notFound says at open kinds of work why no gateway finds them on the chain.
func notFound(kinds []adminapi.WorkKind, s *adminapi.PublicStatus) {
	code, says := reasons.NotFoundReason(s)
	for i := range kinds {
		if d := &kinds[i]; d.Open {
			d.Code, d.Reason = string(code), says
		}
	}
}

// workerWork is that of devices which work for an orchestrator elsewhere: open while one
// is ready and the orchestrator knows of it.
func (g gate) workerWork() (adminapi.WorkKind, bool) {
	if g.p.Orchestrator != nil || g.p.Media.Pool == nil || !g.p.Config.Roles.Transcoder {
		return adminapi.WorkKind{}, false
	}
	use := g.p.Media.Pool.Usage()
	d := adminapi.WorkKind{Name: "video, for an orchestrator", InUse: use.Sessions, Limit: use.Limit}
	if g.p.Media.Pool.Ready() == 0 {
		d.Code, d.Reason = string(fault.NoTranscoders), "no device is ready"
	}
	if away := g.p.Worker.Unregistered(worker.KindTranscoder); away != "" && d.Code == "" {
		d.Code, d.Reason = string(fault.WorkerNotRegistered), away
	}
	d.Open = d.Code == ""
	return d, true
}

func videoWork(u orchestrate.Usage, capped func() *fault.Fault, stopping bool) adminapi.WorkKind {
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

// aiWork is that of the models of this machine and of workers of others.
func (g gate) aiWork(stopping bool) (adminapi.WorkKind, bool) {
	states := g.p.ModelStates()
	if workers := g.p.RemoteWorkers(); workers != nil {
		for _, w := range workers.AI.Workers() {
			states = append(states, w.Models...)
		}
	}
	elsewhere := g.p.Orchestrator == nil && g.p.Config.Roles.AIWorker
	if len(states) == 0 && !elsewhere {
		return adminapi.WorkKind{}, false
	}
	if !elsewhere {
		return modelWork("AI", states, "", stopping), true
	}
	return modelWork("AI, for an orchestrator", states, g.p.Worker.Unregistered(worker.KindAI), stopping), true
}

// modelWork is open while a model takes jobs, or would be loaded for one. unregistered is why no
// orchestrator knows of the models, "" while one does.
func modelWork(name string, states []inference.ModelState, unregistered string, stopping bool) adminapi.WorkKind {
	d := adminapi.WorkKind{Name: name}
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
	case d.Open && unregistered != "":
		d.Open, d.Code, d.Reason = false, string(fault.WorkerNotRegistered), unregistered
	case d.Open:
		d.Code, d.Reason = "", ""
	case d.Reason == "":
		d.Reason = "no model is ready"
	}
	return d
}
