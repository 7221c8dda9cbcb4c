package aiworkers

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	opReserve = "wait for a slot"
	opRun     = "run an AI job"
)

// errTaken says that the workers that could do a job have no room at the moment.
var errTaken = errors.New("all slots are taken")

// Reserve takes one of a model's slots: see inference.Worker.
func (p *Pool) Reserve(ctx context.Context, id inference.Model, party string) (inference.Slot, error) {
	m, err := p.served(id)
	if err != nil {
		return nil, err
	}
	release, err := m.line.Acquire(ctx, party)
	if err != nil {
		return nil, p.refusal(m, fault.Canceled, err)
	}
	return &slot{p: p, m: m, party: p.parties.Name(party), release: release}, nil
}

// served finds a model that may be waited for. The error says why it is no use.
func (p *Pool) served(id inference.Model) (*model, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.models[id]
	if m == nil {
		return nil, fault.New(fault.ModelNotServed, opReserve, id.String())
	}
	switch s := &m.told; s.State {
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
	s := m.line.Stats()
	switch {
	case errors.Is(err, fairqueue.ErrFull):
		return fault.New(fault.ModelLineFull, opReserve, fmt.Sprintf("%d in use, %d waiting for %s", s.InUse, s.Waiting, m.id))
	case errors.Is(err, context.DeadlineExceeded):
		return &fault.Fault{Code: fault.ModelWaitOver, Op: opReserve, Detail: fmt.Sprintf("%d of %d in use for %s", s.InUse, s.Slots, m.id), Err: err}
	case errors.Is(err, context.Canceled):
		return fault.Wrap(canceled, opReserve, err)
	}
	return err
}

// slot is a job's right to one of a model's workers. Which of them is decided when
// it runs.
type slot struct {
	p *Pool
	m *model
	// party is whose job it is, by the name that workers get.
	party string

	mu      sync.Mutex
	release func() // guarded by mu
	at      *entry // guarded by mu
	over    bool   // guarded by mu
}

// occupy notes where the job is; false when the slot was given back meanwhile.
func (s *slot) occupy(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.at = e
	}
	return !s.over
}

// vacate ends the job's stay at its worker.
func (s *slot) vacate() {
	s.mu.Lock()
	e := s.at
	s.at = nil
	s.mu.Unlock()
	if e != nil {
		s.p.put(e)
	}
}

// Release gives the slot back; only the first call counts.
func (s *slot) Release() {
	s.vacate()
	s.mu.Lock()
	give := s.release
	s.over, s.release = true, func() {}
	s.mu.Unlock()
	give()
}
