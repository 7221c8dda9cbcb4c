package manager

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// Manager is a node's models.
type Manager struct {
	o      Options
	shared *shared
	models []*model
	byID   map[inference.Model]*model

	draining atomic.Bool
	drain    chan struct{}
	// freed has a message when a job has ended.
	freed chan struct{}
}

// New makes a manager; nothing starts before Run.
func New(o Options) *Manager {
	o = o.withDefaults()
	m := &Manager{
		o: o, byID: make(map[inference.Model]*model),
		drain: make(chan struct{}), freed: make(chan struct{}, 1),
	}
	m.shared = &shared{
		o: &m.o, news: &news{}, devices: newDevices(o.ContainersPerGPU),
		strays: newStrays(o.Engine, o.Log),
	}
	m.shared.devices.reserve = o.Reserve
	for i := range m.o.Entries {
		m.add(&m.o.Entries[i])
	}
	if o.Find == nil {
		m.shared.devices.furnish(o.Devices)
	}
	for _, model := range m.models {
		model.begin()
	}
	return m
}

// add makes an entry's runners, beside those of other entries of its model.
func (m *Manager) add(e *Entry) {
	model := m.byID[e.Model]
	if model == nil {
		model = newModel(e.Model, m)
		m.byID[e.Model] = model
		m.models = append(m.models, model)
	}
	n := 1
	if !e.external() {
		n = max(e.Capacity, 1)
	}
	for range n {
		model.runners = append(model.runners, newRunner(model, e, m.shared))
	}
}

// Name is "ai models".
func (m *Manager) Name() string { return "ai models" }

// Run starts every warm model, all at once, and keeps them until ctx ends; then
// it stops the containers. It is ready at once: a model that takes long to load,
// or cannot, keeps nothing else from starting.
func (m *Manager) Run(ctx context.Context, ready func()) error {
	// The engine's word is wanted until the last container has gone.
	listen, quiet := context.WithCancel(context.WithoutCancel(ctx))
	defer quiet()
	var ear, wg sync.WaitGroup
	if m.o.Engine != nil && m.managed() {
		ear.Go(func() { m.shared.news.follow(listen, m.o.Engine) })
	}
	if m.o.Find != nil && m.managed() {
		wg.Go(func() { m.seek(ctx) })
	}
	for _, model := range m.models {
		wg.Go(func() { model.run(ctx) })
	}
	ready()
	wg.Wait()
	if ctx.Err() == nil {
		<-ctx.Done() // there are no models
	}
	quiet()
	ear.Wait()
	return nil
}

func (m *Manager) managed() bool {
	for i := range m.o.Entries {
		if !m.o.Entries[i].external() {
			return true
		}
	}
	return false
}

// StopGrace is the time to stop the containers, which is done all at once.
func (m *Manager) StopGrace() time.Duration { return stopTimeout + 5*time.Second }

// Drain refuses new jobs and those that wait, and returns when none runs any more
// or ctx ends.
func (m *Manager) Drain(ctx context.Context) error {
	if m.draining.CompareAndSwap(false, true) {
		close(m.drain)
	}
	for m.busy() {
		select {
		case <-m.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (m *Manager) busy() bool {
	for _, model := range m.models {
		if s := model.pool.line.Stats(); s.InUse > 0 || s.Waiting > 0 {
			return true
		}
	}
	return false
}

// jobEnded is called when a slot has become free, and when a job has left
// without one.
func (m *Manager) jobEnded() {
	m.shared.devices.poke()
	poke(m.freed)
}

// Models tells every model's state, in the order of the entries.
func (m *Manager) Models() []inference.ModelState {
	out := make([]inference.ModelState, len(m.models))
	for i, model := range m.models {
		out[i] = *model.snapshot.Load()
		model.fill(&out[i])
	}
	return out
}
