package aiworkers

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// model is one model of any number of workers, with the queue for its slots. All fields
// but the queue are guarded by Pool.mu.
type model struct {
	id      inference.Model
	queue   *fairqueue.Queue
	entries []*entry
	// state is the merged state without the queue's counts.
	state inference.ModelState
	since time.Time
}

// entry is a model of one worker. It stays the same over the worker's registrations.
type entry struct {
	w        *worker
	model    *model
	reported inference.ModelState
	// slots is how many jobs it takes, busy how many it has.
	slots, busy int
	refusals    inference.Refusals
}

// ready reports whether jobs for it begin at once. A worker of the network only reports
// that it accepts jobs: a model that is not warm there may still be loaded.
func (e *entry) ready() bool {
	return e.w.acceptsJobs() && e.slots > 0 && (e.reported.State == inference.Ready || !e.w.isTutti())
}

// cold reports whether a job would have it started.
func (e *entry) cold() bool {
	return e.w.acceptsJobs() && !e.ready() && e.reported.Offered()
}

// state returns the reported state, overridden while the worker drains.
func (e *entry) state() inference.ModelState {
	s := e.reported
	switch {
	case e.w.draining:
		s.State, s.Code, s.Reason = inference.Draining, fault.Draining, "the worker stops"
	case e.w.operatorDrained:
		s.State, s.Code, s.Reason = inference.Draining, fault.Draining,
			"the operator of this node gives the worker no new jobs"
	}
	return s
}

// setModelsLocked sets a worker's models from its registration.
func (p *Pool) setModelsLocked(w *worker, states []inference.ModelState) {
	have := make(map[inference.Model]bool, len(states))
	for i := range states {
		s := &states[i]
		have[s.Model] = true
		e := w.entries[s.Model]
		if e == nil {
			e = p.addEntryLocked(w, s.Model)
		}
		e.reported, e.slots = *s, s.Capacity
	}
	before := len(p.models)
	for id, e := range w.entries {
		if !have[id] {
			delete(w.entries, id)
			e.model.entries = slices.DeleteFunc(e.model.entries, func(other *entry) bool { return other == e })
			e.slots = 0
			p.updateModelLocked(e.model)
		}
	}
	if len(p.models) < before {
		p.order = slices.DeleteFunc(p.order, func(m *model) bool { return len(m.entries) == 0 })
	}
	p.refreshLocked(w)
}

// refreshLocked updates all models of a worker.
func (p *Pool) refreshLocked(w *worker) {
	for _, e := range w.entries {
		p.updateModelLocked(e.model)
	}
}

// addEntryLocked adds a worker's entry for a model.
func (p *Pool) addEntryLocked(w *worker, id inference.Model) *entry {
	m := p.models[id]
	if m == nil {
		m = &model{id: id, queue: fairqueue.New(fairqueue.Options{MaxWaiting: p.opt.Queue, Now: p.opt.Now})}
		p.models[id] = m
		p.order = append(p.order, m)
	}
	e := &entry{w: w, model: m}
	m.entries = append(m.entries, e)
	w.entries[id] = e
	return e
}

// updateModelLocked computes a model's state and slots from its entries. It removes a model
// that no worker has any more; the caller takes it out of order.
func (p *Pool) updateModelLocked(m *model) {
	if len(m.entries) == 0 {
		delete(p.models, m.id)
		m.queue.Resize(0)
		m.queue.Shut(fault.New(fault.ModelNotReady, opReserve, "its last worker is gone"))
		return
	}
	old := m.state.State
	m.state = mergeStates(m.entries)
	if m.state.State != old {
		m.since = p.opt.Now()
	}
	m.state.Model, m.state.Since = m.id, m.since
	m.state.Capacity = m.slots(true)
	m.queue.Resize(m.slots(false))
}

// slots counts the slots of ready workers or, without any, of workers that could load the
// model. With readyOnly set only ready ones count: a model that is not loaded reports no slots.
func (m *model) slots(readyOnly bool) int {
	ready, cold := 0, 0
	for _, e := range m.entries {
		switch {
		case e.ready():
			ready += e.slots
		case e.cold():
			cold += max(1, e.slots)
		}
	}
	if ready > 0 || readyOnly {
		return ready
	}
	return cold
}

// stateNowLocked returns the model's state. The caller holds mu.
func (m *model) stateNowLocked() inference.ModelState {
	s := m.state
	stats := m.queue.Stats()
	s.InUse, s.Waiting = stats.InUse, stats.Waiting
	return s
}

// pick chooses the worker with the most free capacity, of those with the model loaded if
// there are any, and marks its slot as busy. The error is why there is none: no runner
// supports the operation, all workers are busy, or they drain.
func (p *Pool) pick(m *model, want requirements, tried map[*worker]bool) (*entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best *entry
	able, anyReady, stops := false, false, false
	for _, e := range m.entries {
		anyReady = anyReady || e.ready()
	}
	for _, e := range m.entries {
		if tried[e.w] || !inference.Does(e.reported.Operations, want.op) {
			continue
		}
		fit := e.ready() || !anyReady && e.cold()
		// A disconnected worker may reconnect in a moment.
		able = able || fit || e.w.disconnected
		stops = stops || e.w.draining || e.w.operatorDrained
		if fit && e.busy < e.capacity() && (best == nil || e.before(best, want, p.opt.Now())) {
			best = e
		}
	}
	switch {
	case best != nil:
		best.busy++
		best.refusals.Retried(p.opt.Now(), want.op)
		return best, nil
	case able:
		return nil, errAllBusy
	case len(tried) == 0 && len(m.entries) > 0 && anyReady:
		return nil, fault.New(fault.OperationUnsupported, opRun, "no worker's runner does \""+string(want.op)+"\"")
	}
	if stops {
		return nil, fault.New(fault.ModelNotReady, opRun, "its worker stops")
	}
	return nil, fault.New(fault.AIWorkerLost, opRun, m.id.String())
}

// capacity returns how many jobs the worker may have at once.
func (e *entry) capacity() int {
	if e.ready() {
		return e.slots
	}
	return max(1, e.slots)
}

// before reports whether this worker is the better one for a job: it did not recently refuse
// such jobs while others did them, it can take all of the request, it has the model loaded,
// or else it is less utilized.
func (e *entry) before(other *entry, want requirements, now time.Time) bool {
	if a, b := e.refusals.AskOthersFirst(now, want.op), other.refusals.AskOthersFirst(now, want.op); a != b {
		return b
	}
	if want.whole && e.w.isTutti() != other.w.isTutti() {
		return e.w.isTutti()
	}
	if a, b := e.reported.State == inference.Ready, other.reported.State == inference.Ready; a != b {
		return a
	}
	return e.busy*other.capacity() < other.busy*e.capacity()
}

// releaseEntry frees a job's slot at a worker.
func (p *Pool) releaseEntry(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.busy--
}
