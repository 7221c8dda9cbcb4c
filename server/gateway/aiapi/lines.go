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

// lines has a fair line in front of each model that is asked for at the moment,
// so that at orchestrators nobody waits behind one key's hundred requests.
type lines struct {
	slots, queue int
	capacity     func(inference.Model) int

	mu sync.Mutex
	// models keeps a line that nobody is in only while there are few: clients
	// choose the names.
	models map[inference.Model]*modelLine // guarded by mu
}

// fewLines is how many lines are kept for who comes next.
const fewLines = 64

type modelLine struct {
	line *fairqueue.Queue
	// slots is what the line was last told; users is who needs it. Guarded by
	// lines.mu.
	slots, users int
}

func newLines(slots, queue int, capacity func(inference.Model) int) *lines {
	return &lines{slots: slots, queue: queue, capacity: capacity, models: make(map[inference.Model]*modelLine)}
}

// acquire takes a place for one job, waiting for it until ctx ends, but not longer
// than limit. Errors are faults ModelBusy, ModelBusyTooLong and Canceled. release
// gives the place back.
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
		return nil, fault.New(fault.ModelBusy, op, "as many requests wait for this model as may; try again later")
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault.New(fault.ModelBusyTooLong, op, "the model stayed busy for as long as a request may wait; try again later")
	}
	return nil, fault.Wrap(fault.Canceled, op, err)
}

// enter finds the model's line, as long as its capacity says.
func (l *lines) enter(model inference.Model) *modelLine {
	slots := l.capacity(model)
	if slots <= 0 {
		slots = l.slots
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.models[model]
	if m == nil {
		m = &modelLine{line: fairqueue.New(fairqueue.Options{Slots: slots, MaxWaiting: l.queue}), slots: slots}
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

// patience is a context that ends a while after somebody waits for it. Most
// requests find a free place, and cost no timer. It is one goroutine's.
type patience struct {
	context.Context
	limit  time.Duration
	cancel context.CancelFunc
}

// Done begins the time.
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
