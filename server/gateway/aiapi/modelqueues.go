package aiapi

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// modelQueues keeps a fair queue per requested model, so that no job waits at an orchestrator
// behind a hundred requests of one key.
type lines struct {
	slots, queue int
	capacity     func(inference.Model) int

	mu sync.Mutex
	// models keeps unused queues only while there are few: clients choose the names.
	models map[inference.Model]*modelLine // guarded by mu
}

// keptIdleQueues is how many queues there may be before unused ones are dropped.
const fewLines = 64

type modelLine struct {
	line *fairqueue.Line
	// slots is the queue's current size; users counts the requests that use it. Guarded by
	// modelQueues.mu.
	slots, users int
}

func newLines(slots, queue int, capacity func(inference.Model) int) *lines {
	return &lines{slots: slots, queue: queue, capacity: capacity, models: make(map[inference.Model]*modelLine)}
}

// acquire takes a slot for one job. It waits until ctx ends, but no longer than limit. Errors are
// the faults ModelBusy, ModelBusyTooLong and Canceled. release gives the slot back.
func (l *lines) acquire(ctx context.Context, limit time.Duration, model inference.Model, party string) (release func(), err error) {
	const op = "wait for the model"
	m := l.enter(model)
	wait := &patience{Context: ctx, limit: limit}
	defer wait.end()
	free, err := m.line.Acquire(wait, party)
	if err == nil {
		return func() {
			free()
			l.leave(model, m)
		}, nil
	}
	l.leave(model, m)
	switch {
	case errors.Is(err, fairqueue.ErrFull):
		return nil, fault.New(fault.ModelBusy, op, "the queue of this model is full; try again later")
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.New(fault.ModelBusyTooLong, op, "the request waited too long for a busy model; try again later")
	}
	return nil, fault.Wrap(fault.Canceled, op, err)
}

// join returns the model's queue, resized to the model's current capacity.
func (l *lines) enter(model inference.Model) *modelLine {
	slots := l.capacity(model)
	if slots <= 0 {
		slots = l.slots
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.models[model]
	if m == nil {
		m = &modelLine{line: fairqueue.New(fairqueue.Options{Slots: slots, Queue: l.queue}), slots: slots}
		l.models[model] = m
	}
	m.users++
	if m.slots != slots {
		m.slots = slots
		m.line.Resize(slots)
	}
	return m
}

func (l *lines) leave(model inference.Model, m *modelLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.users--; m.users == 0 && len(l.models) > fewLines {
		delete(l.models, model)
	}
}

// lazyTimeout is a context whose timeout starts with the first call of Done. Most requests find a
// free slot and need no timer. It belongs to one goroutine.
type patience struct {
	context.Context
	limit  time.Duration
	cancel context.CancelFunc
}

// Done starts the timeout.
func (p *patience) Done() <-chan struct{} {
	if p.cancel == nil {
		p.Context, p.cancel = context.WithTimeout(p.Context, p.limit)
	}
	return p.Context.Done()
}

func (p *patience) end() {
	if p.cancel != nil {
		p.cancel()
	}
}
