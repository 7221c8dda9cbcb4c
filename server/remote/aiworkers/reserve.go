package aiworkers

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	opReserve = "wait for a slot"
	opRun     = "run an AI job"
)

// errAllBusy: the workers that could do a job have no free slot at the moment.
var errAllBusy = errors.New("all slots are taken")

// Reserve reserves one of a model's slots: see inference.Worker.
func (p *Pool) Reserve(ctx context.Context, id inference.Model, party string) (inference.Slot, error) {
	m, err := p.findModel(id)
	if err != nil {
		return nil, err
	}
	release, err := m.queue.Acquire(ctx, party)
	if err != nil {
		return nil, p.refusal(m, fault.Canceled, err)
	}
	s := &slot{p: p, m: m, party: p.parties.Name(party), release: release}
	if isLive(id) {
		return &liveSlot{slot: s, tried: make(map[*worker]bool), lost: make(chan struct{})}, nil
	}
	return s, nil
}

// findModel finds a model that jobs may wait for. The error says why they may not.
func (p *Pool) findModel(id inference.Model) (*model, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.models[id]
	if m == nil {
		return nil, fault.New(fault.ModelNotServed, opReserve, id.String())
	}
	switch s := &m.state; s.State {
	case inference.Failed:
		return nil, fault.New(fault.ModelFailed, opReserve, fmt.Sprintf("%s: %s", s.Code, s.Reason))
	case inference.Draining:
		return nil, fault.New(fault.ModelNotReady, opReserve, "its worker stops")
	}
	return m, nil
}

// refusal is the fault of a job that got no slot; canceled is that of one whose gateway
// left meanwhile.
func (p *Pool) refusal(m *model, canceled fault.Code, err error) error {
	s := m.queue.Stats()
	waitOver := fmt.Sprintf("%d of %d in use for %s", s.InUse, s.Slots, m.id)
	return inference.QueueRefusal(err, opReserve, m.id, s, waitOver, canceled)
}

// slot is a job's reservation of one of a model's slots. Run chooses the worker.
type slot struct {
	p *Pool
	m *model
	// party is whose job it is, by the name that workers get.
	party string

	mu       sync.Mutex
	release  func() // guarded by mu
	entry    *entry // guarded by mu
	released bool   // guarded by mu
}

// setEntry records the worker of the job; false when the slot was released meanwhile.
func (s *slot) setEntry(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.released {
		s.entry = e
	}
	return !s.released
}

// leaveEntry frees the job's slot at its worker.
func (s *slot) leaveEntry() {
	s.mu.Lock()
	e := s.entry
	s.entry = nil
	s.mu.Unlock()
	if e != nil {
		s.p.releaseEntry(e)
	}
}

// Release releases the slot; only the first call counts.
func (s *slot) Release() {
	s.leaveEntry()
	s.mu.Lock()
	give := s.release
	s.released, s.release = true, func() {}
	s.mu.Unlock()
	give()
}
