package front

import (
	"context"
	"errors"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/line"
)

// lines has a fair line in front of each model that is asked for at the moment,
// so that at orchestrators nobody waits behind one key's hundred requests.
type lines struct {
	slots, queue int
	capacity     func(inference.Model) int

	mu sync.Mutex
	// models has a line while somebody is in it: clients choose the names.
	models map[inference.Model]*modelLine // guarded by mu
}

type modelLine struct {
	line *line.Line
	// slots is what the line was last told; users is who needs it. Guarded by
	// lines.mu.
	slots, users int
}

func newLines(slots, queue int, capacity func(inference.Model) int) *lines {
	return &lines{slots: slots, queue: queue, capacity: capacity, models: make(map[inference.Model]*modelLine)}
}

// acquire takes a place for one job, waiting for it until ctx ends. Errors are
// faults ModelBusy, ModelBusyTooLong and Canceled. release gives the place back.
func (l *lines) acquire(ctx context.Context, model inference.Model, party string) (release func(), err error) {
	const op = "wait for the model"
	m := l.enter(model)
	free, err := m.line.Acquire(ctx, party)
	if err == nil {
		return func() {
			free()
			l.leave(model, m)
		}, nil
	}
	l.leave(model, m)
	switch {
	case errors.Is(err, line.ErrFull):
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
		m = &modelLine{line: line.New(line.Options{Slots: slots, Queue: l.queue}), slots: slots}
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
	if m.users--; m.users == 0 {
		delete(l.models, model)
	}
}
