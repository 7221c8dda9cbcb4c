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
	// table is the models that take jobs; Replace makes another one.
	table atomic.Pointer[modelTable]

	mu sync.Mutex
	// entries are those in force; removed are models without an entry that may still have
	// jobs. configured is the argument of Replace, warmOverrides are those of SetWarm.
	// spawn runs a function until the manager ends, followEvents follows the engine; both
	// are nil before Run. All are guarded by mu.
	entries       []*activeEntry
	configured    []Entry
	warmOverrides map[inference.Model]bool
	removed       []*model
	spawn         func(func(ctx context.Context))
	followEvents  func()
	engineUsed    bool
	// engineWanted: something that is no model needs GPUs or containers. Guarded by mu.
	engineWanted bool

	draining atomic.Bool
	drain    chan struct{}
	// freed gets a message when a job has ended.
	freed chan struct{}
}

// New makes a manager; nothing starts before Run.
func New(o Options) *Manager {
	o = o.withDefaults()
	m := &Manager{
		o:     o,
		drain: make(chan struct{}), freed: make(chan struct{}, 1),
	}
	m.shared = &shared{
		o: &m.o, events: &containerEvents{}, devices: newDevices(o.ContainersPerGPU),
		strays: newStrays(o.Engine, o.Log),
	}
	m.shared.strays.adopt = m.adopt
	m.shared.keep.Store(o.Adopt && o.KeepContainers)
	m.shared.devices.reserve = o.Reserve
	m.table.Store(&modelTable{})
	m.Replace(o.Entries)
	if o.Find == nil {
		m.shared.devices.setDevices(o.Devices)
	}
	return m
}

// Name is "ai models".
func (m *Manager) Name() string { return "ai models" }

// Run starts every warm model, all at once, and keeps them until ctx ends; then
// it stops the containers, but for those that its next run adopts. It is ready at once: a
// model that is slow or fails to load delays nothing else.
func (m *Manager) Run(ctx context.Context, ready func()) error {
	// Events are needed until the last container is removed.
	listen, quiet := context.WithCancel(context.WithoutCancel(ctx))
	defer quiet()
	var events, wg sync.WaitGroup
	m.mu.Lock()
	m.followEvents = func() { events.Go(func() { m.shared.events.follow(listen, m.o.Engine) }) }
	m.spawn = func(f func(context.Context)) { wg.Go(func() { f(ctx) }) }
	m.useEngineLocked()
	if !m.engineUsed && m.o.Engine != nil && m.o.Orphans {
		m.spawn(m.removeOrphans)
	}
	for _, model := range m.table.Load().models {
		m.startLocked(model)
	}
	m.mu.Unlock()
	ready()
	<-ctx.Done()
	m.mu.Lock()
	m.spawn = nil // a model that is added from now on is not started
	m.mu.Unlock()
	wg.Wait()
	quiet()
	events.Wait()
	return nil
}

// StopGrace returns the time to stop the containers, which is done all at once.
func (m *Manager) StopGrace() time.Duration { return stopTimeout + 5*time.Second }

// Drain refuses new and waiting jobs, and returns when no job runs or ctx ends.
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
	for _, model := range m.working() {
		if s := model.pool.queue.Stats(); s.InUse > 0 || s.Waiting > 0 {
			return true
		}
	}
	return false
}

// jobEnded is called when a slot has become free, and when a job has left
// without one.
func (m *Manager) jobEnded() {
	m.shared.devices.wakeClaims()
	poke(m.freed)
}

// Models returns every model's state, in the order of the entries.
func (m *Manager) Models() []inference.ModelState {
	models := m.table.Load().models
	out := make([]inference.ModelState, len(models))
	for i, model := range models {
		out[i] = *model.snapshot.Load()
		model.addQueueStats(&out[i])
	}
	return out
}
