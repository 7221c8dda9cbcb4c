package coretest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Worker is a fake inference.Worker without runners. Each model has the number of slots in its
// state. Violations returns how callers broke the port's contract. Set the fields before the
// first call.
type Worker struct {
	// Answer returns the reply to each job. If it is nil, jobs fail with RunnerUnreachable.
	Answer func(ctx context.Context, job *inference.Job) (*inference.Reply, error)

	mu      sync.Mutex // covers the fields below
	states  []inference.ModelState
	changed chan struct{} // closed and replaced when a wait may be over
	broken  []string
	parties []string
}

var _ inference.Worker = (*Worker)(nil)

// NewWorker returns a Worker with models in the given states.
func NewWorker(states ...inference.ModelState) *Worker {
	return &Worker{states: states, changed: make(chan struct{})}
}

// Models returns a snapshot.
func (w *Worker) Models() []inference.ModelState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.states)
}

// Set changes a model's state.
func (w *Worker) Set(model inference.Model, change func(s *inference.ModelState)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.find(model); s != nil {
		change(s)
		w.wake()
	}
}

// InUse returns the number of slots in use, of all models.
func (w *Worker) InUse() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for i := range w.states {
		n += w.states[i].InUse
	}
	return n
}

// Waiting returns the number of Reserve calls that wait for a slot, of all models.
func (w *Worker) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for i := range w.states {
		n += w.states[i].Waiting
	}
	return n
}

// Parties returns the parties that requested slots, in their order.
func (w *Worker) Parties() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.parties)
}

// Violations returns how callers broke the contract, a sentence each.
func (w *Worker) Violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.broken)
}

func (w *Worker) find(model inference.Model) *inference.ModelState {
	for i := range w.states {
		if w.states[i].Model == model {
			return &w.states[i]
		}
	}
	return nil
}

func (w *Worker) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *Worker) violated(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// Reserve waits until the model is ready and has a free slot, and takes it.
func (w *Worker) Reserve(ctx context.Context, model inference.Model, party string) (inference.Slot, error) {
	const op = "reserve slot"
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parties = append(w.parties, party)
	s := w.find(model)
	if s == nil {
		return nil, fault.New(fault.ModelNotServed, op, model.String())
	}
	s.Waiting++
	defer func() { s.Waiting-- }()
	for {
		switch {
		case s.State == inference.Failed:
			return nil, fault.New(s.Code, op, s.Reason)
		case s.State == inference.Ready && s.InUse < s.Capacity:
			s.InUse++
			return &slot{w: w, model: model}, nil
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		}
		w.mu.Lock()
		if ctx.Err() != nil {
			return nil, fault.Wrap(fault.CodeOf(ctx.Err()), op, ctx.Err())
		}
	}
}

// slot is a reserved slot of a Worker.
type slot struct {
	w     *Worker
	model inference.Model

	mu       sync.Mutex
	ran      bool
	body     *body
	released bool
}

// Run calls the worker's Answer.
func (s *slot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	s.mu.Lock()
	twice := s.ran
	s.ran = true
	s.mu.Unlock()
	if twice || job.Model != s.model {
		s.w.violated("slot of %s: second job, or one for %s", s.model, job.Model)
	}
	if s.w.Answer == nil {
		return nil, fault.New(fault.RunnerUnreachable, "run job", "connection refused")
	}
	reply, err := s.w.Answer(ctx, job)
	if err != nil {
		return nil, err
	}
	b := &body{ReadCloser: reply.Body}
	s.mu.Lock()
	s.body = b
	s.mu.Unlock()
	out := *reply
	out.Body = b
	return &out, nil
}

// Release gives the slot back.
func (s *slot) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.released {
		return
	}
	s.released = true
	if s.body != nil && !s.body.isClosed() {
		s.w.violated("slot of %s: released before its answer was closed", s.model)
	}
	s.w.Set(s.model, func(m *inference.ModelState) { m.InUse-- })
}

// body is the body of a reply, which records that it was closed.
type body struct {
	io.ReadCloser
	mu     sync.Mutex
	closed bool
}

// Close closes the answer.
func (b *body) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

func (b *body) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}
