package aiworkers

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// model is one model of any number of workers, and the line in front of its slots.
// All of it but the line is guarded by Pool.mu.
type model struct {
	id      inference.Model
	queue   *fairqueue.Line
	entries []*entry
	// told is the state without what the line knows.
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

// ready reports whether jobs for it begin at once. Of a worker of the network nothing
// is known but that it takes jobs: what is not warm there may be loaded all the same.
func (e *entry) ready() bool {
	return e.w.acceptsJobs() && e.slots > 0 && (e.reported.State == inference.Ready || !e.w.isTutti())
}

// cold reports whether a job would have it started.
func (e *entry) cold() bool {
	return e.w.acceptsJobs() && !e.ready() && e.reported.Offered()
}

// heard is what the worker said of it, and what we know of the worker.
func (e *entry) state() inference.ModelState {
	s := e.reported
	switch {
	case e.w.draining:
		s.State, s.Code, s.Reason = inference.Draining, fault.Draining, "the worker stops"
	case e.w.operatorDrained:
		s.State, s.Code, s.Reason = inference.Draining, fault.Draining, "the operator of this node gives the worker no new jobs"
	}
	return s
}

// furnish makes a worker's models those of its registration. The caller holds mu.
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
	for id, e := range w.entries {
		if !have[id] {
			delete(w.entries, id)
			e.model.entries = slices.DeleteFunc(e.model.entries, func(other *entry) bool { return other == e })
			e.slots = 0
			p.updateModelLocked(e.model)
		}
	}
	p.refreshLocked(w)
}

// refresh settles all models of a worker. The caller holds mu.
func (p *Pool) refreshLocked(w *worker) {
	for _, e := range w.entries {
		p.updateModelLocked(e.model)
	}
}

// enter adds a worker's entry for a model. The caller holds mu.
func (p *Pool) addEntryLocked(w *worker, id inference.Model) *entry {
	m := p.models[id]
	if m == nil {
		m = &model{id: id, queue: fairqueue.New(fairqueue.Options{Queue: p.opt.Queue, Now: p.opt.Now})}
		p.models[id] = m
		p.order = append(p.order, m)
	}
	e := &entry{w: w, model: m}
	m.entries = append(m.entries, e)
	w.entries[id] = e
	return e
}

// settle makes of a model's entries its state and the number of its slots. One that
// no worker has any more is forgotten. The caller holds mu.
func (p *Pool) updateModelLocked(m *model) {
	if len(m.entries) == 0 {
		delete(p.models, m.id)
		p.order = slices.DeleteFunc(p.order, func(other *model) bool { return other == m })
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

// slots counts those of the workers that are ready, and where there are none those
// of the ones that could be; of these only the first where told is set, as a model
// that is not loaded has none to tell of.
func (m *model) slots(told bool) int {
	ready, cold := 0, 0
	for _, e := range m.entries {
		switch {
		case e.ready():
			ready += e.slots
		case e.cold():
			cold += max(1, e.slots)
		}
	}
	if ready > 0 || told {
		return ready
	}
	return cold
}

// stateNow is the model's state. The caller holds mu.
func (m *model) stateNowLocked() inference.ModelState {
	s := m.state
	stats := m.queue.Stats()
	s.InUse, s.Waiting = stats.InUse, stats.Waiting
	return s
}

// pick gives a job to the worker that has most room for it, of those with the model
// loaded if there are any, and marks the slot as taken. The error says why there is
// none: the model's runners cannot do it, or all are taken.
func (p *Pool) pick(m *model, want requirements, tried map[*worker]bool) (*entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best *entry
	able, anyReady := false, false
	for _, e := range m.entries {
		anyReady = anyReady || e.ready()
	}
	for _, e := range m.entries {
		if tried[e.w] || !inference.Does(e.reported.Operations, want.op) {
			continue
		}
		fit := e.ready() || !anyReady && e.cold()
		// One that is away may be back in a moment.
		able = able || fit || e.w.disconnected
		if fit && e.busy < e.capacity() && (best == nil || e.before(best, want, p.opt.Now())) {
			best = e
		}
	}
	switch {
	case best != nil:
		best.busy++
		best.refusals.Asked(p.opt.Now(), want.op)
		return best, nil
	case able:
		return nil, errAllBusy
	case len(tried) == 0 && len(m.entries) > 0 && anyReady:
		return nil, fault.New(fault.OperationUnsupported, opRun, "no worker's runner does \""+string(want.op)+"\"")
	}
	return nil, fault.New(fault.AIWorkerLost, opRun, m.id.String())
}

// room is how many jobs the worker may have.
func (e *entry) capacity() int {
	if e.ready() {
		return e.slots
	}
	return max(1, e.slots)
}

// before reports whether a job is better off here: where it was not refused lately while
// others did it, where it arrives whole, where the model is loaded, else where less of the
// room is taken.
func (e *entry) before(other *entry, want requirements, now time.Time) bool {
	if a, b := e.refusals.Doubted(now, want.op), other.refusals.Doubted(now, want.op); a != b {
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

// put ends a job's stay at a worker.
func (p *Pool) releaseEntry(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.busy--
}
