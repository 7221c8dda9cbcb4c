package manager

import (
	"context"
	"reflect"
	"slices"

	"github.com/tuttinode/tutti/core/inference"
)

// modelTable holds the models that take jobs. It is read-only once made.
type modelTable struct {
	models []*model
	byID   map[inference.Model]*model
}

// activeEntry is an entry in force, with its runner.
type activeEntry struct {
	entry  *Entry
	model  *model
	runner *runner
}

// change lists the runners that a model gains and loses.
type change struct{ add, drop []*runner }

// changes are those of several models, in the order of the entries that want them.
type changes struct {
	order []*model
	by    map[*model]*change
}

func (c *changes) of(model *model) *change {
	if c.by[model] == nil {
		c.by[model] = &change{}
		c.order = append(c.order, model)
	}
	return c.by[model]
}

// Replace replaces the entries. The runners of an unchanged entry are not touched. A new
// entry starts as at the node's start. A removed one takes no new jobs; its runners finish
// their jobs, and then its containers are removed. Replace does not wait for any of this.
func (m *Manager) Replace(entries []Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.warmOverrides {
		before, _ := asksWarm(m.configured, id)
		if now, there := asksWarm(entries, id); !there || now != before {
			delete(m.warmOverrides, id)
		}
	}
	m.configured = entries
	m.replaceLocked()
}

// SetWarm overrides the warm setting of a model's entries: true keeps its containers
// loaded, false unloads them until a job needs the model. The override lasts until the
// node's next start, or until Replace changes the setting. Running jobs finish first.
func (m *Manager) SetWarm(id inference.Model, warm bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.warmOverrides == nil {
		m.warmOverrides = make(map[inference.Model]bool)
	}
	m.warmOverrides[id] = warm
	m.replaceLocked()
}

// asksWarm reports whether an entry wants the model warm, and whether it has an entry.
func asksWarm(entries []Entry, id inference.Model) (warm, there bool) {
	for i := range entries {
		if entries[i].Model == id {
			warm, there = warm || entries[i].Warm, true
		}
	}
	return warm, there
}

// replaceLocked puts the configured entries with the overrides of SetWarm in force.
func (m *Manager) replaceLocked() {
	entries := each(m.configured)
	for i := range entries {
		if warm, set := m.warmOverrides[entries[i].Model]; set && !entries[i].external() {
			entries[i].Warm = warm
		}
	}
	was := m.table.Load()
	stays, added, removed := compare(m.entries, entries)
	next := &modelTable{byID: make(map[inference.Model]*model)}
	all := changes{by: make(map[*model]*change)}
	for _, p := range removed {
		c := all.of(p.model)
		c.drop = append(c.drop, p.runner)
	}
	for i, p := range stays {
		if p != nil {
			next.add(p.model)
			continue
		}
		p = added[i]
		stays[i] = p
		if p.model = next.byID[p.entry.Model]; p.model == nil {
			p.model = was.byID[p.entry.Model]
		}
		if p.model == nil {
			p.model = newModel(p.entry.Model, m)
		}
		next.add(p.model)
		p.runner = newRunner(p.model, p.entry, m.shared)
		c := all.of(p.model)
		c.add = append(c.add, p.runner)
	}
	m.entries = stays
	m.table.Store(next)
	m.applyLocked(next, &all)
}

// each returns an entry for each container: another number of them touches no other one.
func each(configured []Entry) (out []Entry) {
	for _, e := range configured {
		n := 1
		if !e.external() {
			n, e.Capacity = max(e.Capacity, 1), 1
		}
		for range n {
			out = append(out, e)
		}
	}
	return out
}

// compare finds for each of next the entry in force that is the same: stays and added
// have one of the two for each of them.
func compare(now []*activeEntry, next []Entry) (stays, added, removed []*activeEntry) {
	stays, added = make([]*activeEntry, len(next)), make([]*activeEntry, len(next))
	removed = slices.Clone(now)
	for i := range next {
		at := slices.IndexFunc(removed, func(p *activeEntry) bool { return reflect.DeepEqual(p.entry, &next[i]) })
		if at < 0 {
			entry := next[i]
			added[i] = &activeEntry{entry: &entry}
			continue
		}
		stays[i] = removed[at]
		removed = slices.Delete(removed, at, at+1)
	}
	return stays, added, removed
}

func (t *modelTable) add(model *model) {
	if t.byID[model.id] == nil {
		t.byID[model.id] = model
		t.models = append(t.models, model)
	}
}

// applyLocked sends the models their changes.
func (m *Manager) applyLocked(next *modelTable, all *changes) {
	var drop, add []*reservation
	for _, model := range all.order {
		c := all.by[model]
		drop, add = append(drop, reservations(c.drop)...), append(add, reservations(c.add)...)
	}
	m.shared.devices.revise(drop, add)
	m.useEngineLocked()
	for _, model := range all.order {
		c := all.by[model]
		if model.started && next.byID[model.id] != model {
			m.removed = append(m.removed, model)
		}
		switch {
		case model.started:
			select {
			case model.changes <- *c:
			case <-model.done:
			}
			continue
		case model.snapshot.Load() == nil:
			model.runners = c.add
			model.begin()
		default:
			model.revise(c)
		}
		m.startLocked(model)
	}
}

func reservations(runners []*runner) (out []*reservation) {
	for _, r := range runners {
		if r.reservation != nil {
			out = append(out, r.reservation)
		}
	}
	return out
}

// startLocked runs a model, if the manager runs.
func (m *Manager) startLocked(model *model) {
	if m.spawn == nil || model.started {
		return
	}
	model.started = true
	m.spawn(model.run)
}

// useEngineLocked follows the engine's events and looks for GPUs as soon as an entry needs
// containers.
func (m *Manager) useEngineLocked() {
	managed := slices.ContainsFunc(m.entries, func(p *activeEntry) bool { return !p.entry.external() })
	if !managed && !m.engineWanted || m.engineUsed || m.spawn == nil {
		return
	}
	m.engineUsed = true
	if m.o.Engine != nil {
		m.followEvents()
	}
	if m.o.Find != nil {
		m.spawn(m.findGPUs)
	}
}

// wantEngine follows the engine and looks for GPUs for what is no model.
func (m *Manager) wantEngine() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.engineWanted = true
	m.useEngineLocked()
}

// working returns the models that take jobs, and those that finish theirs.
func (m *Manager) working() []*model {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.removed = slices.DeleteFunc(m.removed, func(model *model) bool {
		select {
		case <-model.done:
			return true
		default:
			return false
		}
	})
	return slices.Concat(m.table.Load().models, m.removed)
}

// launch runs a runner until ctx ends, or until it was dropped and has finished its jobs.
func (m *model) launch(ctx context.Context, r *runner) {
	go func() {
		life, cancel := context.WithCancel(ctx)
		finished := make(chan struct{})
		go func() {
			defer close(finished)
			select {
			case <-r.removed:
				m.pool.expel(life, r)
				cancel()
			case <-life.Done():
			}
		}()
		r.run(life, ctx)
		cancel()
		<-finished
		m.exits <- r
	}()
}

// revise adds runners and drops others, which stay until they have finished their jobs.
func (m *model) revise(c *change) {
	m.runners = append(m.runners, c.add...)
	for _, r := range c.drop {
		r.dropped, r.seen = true, status{state: inference.Absent}
		close(r.removed)
	}
	if !m.started {
		m.runners = slices.DeleteFunc(m.runners, func(r *runner) bool { return r.dropped })
	}
	m.updateState()
}

// exited removes a runner that has ended.
func (m *model) exited(r *runner) {
	m.runners = slices.DeleteFunc(m.runners, func(have *runner) bool { return have == r })
	if r.dropped {
		m.updateState()
	}
}

// present returns the runners that were not dropped.
func (m *model) present() []*runner {
	out := make([]*runner, 0, len(m.runners))
	for _, r := range m.runners {
		if !r.dropped {
			out = append(out, r)
		}
	}
	return out
}
