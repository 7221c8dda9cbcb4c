package aiworkers

import (
	"cmp"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// Worker is one registered worker, for the operator.
type Worker struct {
	// Name is what its operator calls it, Addr where it came from.
	Name, Addr string
	// Node is "tutti/<version>" for one of our own; Version is the network's release.
	Node, Version string
	Since         time.Time
	// Draining says that it is given no new jobs, at its own wish or our operator's.
	Draining bool
	// Done and Failed count its jobs since this node started, also those of before it came
	// back. A job that its client left is in neither.
	Done, Failed int64
	// Models has the figures of this worker alone.
	Models []inference.ModelState
}

// Workers lists the workers, in the order of their registration.
func (p *Pool) Workers() []Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Worker, 0, len(p.workers))
	for _, w := range p.workers {
		one := Worker{Name: w.name, Addr: w.id.Addr, Node: w.id.Node, Version: w.version, Since: w.since,
			Draining: w.draining || w.operatorDrained}
		one.Done, one.Failed = w.tally.Counts()
		for _, e := range w.entries {
			s := e.state()
			s.Capacity, s.InUse = e.slots, e.busy
			one.Models = append(one.Models, s)
		}
		slices.SortFunc(one.Models, byModel)
		out = append(out, one)
	}
	return out
}

func byModel(a, b inference.ModelState) int {
	return cmp.Or(cmp.Compare(a.Model.Capability, b.Model.Capability), cmp.Compare(a.Model.ID, b.Model.ID))
}
