package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
	reasons "github.com/tuttinode/tutti/core/jobdiagnosis"
	"github.com/tuttinode/tutti/core/orchestratorstatus"
	"github.com/tuttinode/tutti/core/requeststats"
)

// jobRecords are what is known of why jobs come or do not. Its book is nil on a node that
// takes none.
type jobRecords struct {
	book *requeststats.Counter
	// place is the orchestrator's in the pool, as it was read last.
	place atomic.Pointer[reasons.PoolRank]
}

// questions is the book that the rules count in.
func (n *node) questions() *requeststats.Counter {
	if n.jobRecords.book == nil {
		n.jobRecords.book = requeststats.New(time.Now)
	}
	return n.jobRecords.book
}

// explain is nil on a node that is no orchestrator.
func (n *node) explain() func(context.Context) adminapi.Explanation {
	if !n.cfg.Roles.Orchestrator {
		return nil
	}
	return jobs{n}.Explain
}

// jobs explains where jobs are.
type jobs struct{ n *node }

// Explain gathers what is known and judges it.
func (j jobs) Explain(ctx context.Context) adminapi.Explanation {
	f := j.facts()
	return adminview.Explanation(f, reasons.Diagnose(f))
}

func (j jobs) facts() *reasons.NodeState {
	n := j.n
	f := &reasons.NodeState{
		Now: time.Now(), Started: n.started, Orchestrator: takesWork(n.cfg), Offchain: n.chain == nil,
		PoolRank: n.jobRecords.place.Load(), RequestStats: n.jobRecords.book.Report(), Conditions: n.board.Visible(), Work: j.work(),
	}
	if n.dashboardParts.rules != nil {
		f.Draining = n.dashboardParts.rules.Draining()
	}
	if n.address != nil {
		s := n.address.Status()
		f.Address = &s
	}
	if n.chain != nil {
		if s, known := orchestratorstatus.New(n.chain.View(), n.chain.Reward()); known {
			f.Status = &s
		}
	}
	if n.prices != nil && n.prices.Book != nil {
		f.Price, _ = n.prices.Book.PricePerPixel(core.Address{})
	}
	return f
}

// work is what there is to work with now.
func (j jobs) work() (w reasons.Work) {
	n := j.n
	if n.media != nil {
		w.Transcodes, w.Devices, w.DevicesTotal = true, n.media.Ready(), len(n.media.Devices())
	}
	if n.dashboardParts.rules == nil {
		return w
	}
	use := n.dashboardParts.rules.Usage()
	w.Sessions, w.Limit = use.Sessions, use.Limit
	states := n.dashboardParts.rules.Models()
	w.AI, w.ModelsTotal = n.dashboardParts.rules.HasAI() && (n.workerServices == nil || len(states) > 0), len(states)
	for i := range states {
		if s := &states[i]; s.State == inference.Ready || s.Offered() {
			w.Models++
		}
	}
	return w
}
