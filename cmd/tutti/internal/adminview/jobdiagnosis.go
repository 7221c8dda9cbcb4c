package adminview

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/orchestrator"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	reasons "github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/inference"
)

// explain is nil on a node that is no orchestrator.
func explain(p *Parts) func(context.Context) adminapi.Explanation {
	if !p.Config.Roles.Orchestrator {
		return nil
	}
	return jobs{p}.Explain
}

// jobs explains where jobs are.
type jobs struct{ p *Parts }

// Explain gathers what is known and diagnoses it.
func (j jobs) Explain(ctx context.Context) adminapi.Explanation {
	f := j.facts()
	return Explanation(f, reasons.DiagnoseJobs(f))
}

func (j jobs) facts() *reasons.NodeState {
	p := j.p
	f := &reasons.NodeState{
		Now: time.Now(), Started: p.Started, Orchestrator: orchestrator.TakesWork(p.Config), Offchain: p.Chain == nil,
		PoolRank: p.Orchestrator.Rank(), RequestStats: p.Requests().Report(), Conditions: p.Board.Visible(), Work: j.work(),
	}
	if p.Orchestrator != nil {
		f.Draining = p.Orchestrator.Rules.Draining()
	}
	if p.Orchestrator != nil {
		s := p.Orchestrator.Address.Status()
		f.Address = &s
	}
	if p.Chain != nil {
		if s, known := adminapi.NewPublicStatus(p.Chain.View(), p.Chain.Reward()); known {
			f.Status = &s
		}
	}
	if p.Book() != nil {
		f.Price, _ = p.Prices.Book.PricePerPixel(core.Address{})
	}
	return f
}

// work returns what there is to work with now.
func (j jobs) work() (w reasons.Capacity) {
	p := j.p
	if p.Media.Pool != nil {
		w.Transcodes, w.Devices, w.DevicesTotal = true, p.Media.Pool.Ready(), len(p.Media.Pool.Devices())
	}
	if p.Orchestrator == nil {
		return w
	}
	use := p.Orchestrator.Rules.Usage()
	w.Sessions, w.Limit = use.Sessions, use.Limit
	states := p.Orchestrator.Rules.Models()
	w.AI, w.ModelsTotal = p.Orchestrator.Rules.HasAI() && (p.RemoteWorkers() == nil || len(states) > 0), len(states)
	for i := range states {
		if s := &states[i]; s.State == inference.Ready || s.Offered() {
			w.Models++
		}
	}
	return w
}
