package manager

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Reserve takes one of the model's slots: see inference.Worker. Jobs for a cold
// model share one load; those for a model that has failed get the reason at once.
func (m *Manager) Reserve(ctx context.Context, id inference.Model, party string) (inference.Slot, error) {
	model := m.table.Load().byID[id]
	switch {
	case model == nil:
		return nil, fault.New(fault.ModelNotServed, "reserve a slot", id.String())
	case m.draining.Load():
		return nil, fault.New(fault.Draining, "reserve a slot", "the node stops")
	}
	s, err := model.reserve(ctx, party)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (m *model) reserve(ctx context.Context, party string) (*slot, error) {
	m.pending.add(party, 1)
	if s := m.pool.queue.Stats(); s.InUse+s.Waiting >= s.Slots {
		poke(m.wake)
	}
	release, err := m.pool.acquire(ctx, party)
	m.pending.add(party, -1)
	if err == nil {
		return &slot{model: m, party: party, release: release}, nil
	}
	// A model that was to be started for this job may have no other.
	m.pool.freed()
	return nil, m.refusal(err)
}

// refusal is the fault of a job without a slot.
func (m *model) refusal(err error) error {
	s := m.pool.queue.Stats()
	waitOver := fmt.Sprintf("%s is %s, %d of %d in use", m.id, m.snapshot.Load().State, s.InUse, s.Slots)
	return inference.QueueRefusal(err, "wait for a slot", m.id, s, waitOver, fault.Canceled)
}
