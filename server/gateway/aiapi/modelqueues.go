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
type modelQueues struct {
	slots, queue int
	capacity     func(inference.Model) int

	mu sync.Mutex
	// models keeps unused queues only while there are few: clients choose the names.
	models map[inference.Model]*modelQueue // guarded by mu
}

// keptIdleQueues is how many queues there may be before unused ones are dropped.
const keptIdleQueues = 64

type modelQueue struct {
	queue *fairqueue.Queue
	// slots is the queue's current size; users counts the requests that use it. Guarded by
	// modelQueues.mu.
	slots, users int
}

func newModelQueues(slots, queue int, capacity func(inference.Model) int) *modelQueues {
	return &modelQueues{slots: slots, queue: queue, capacity: capacity, models: make(map[inference.Model]*modelQueue)}
}

// acquire takes a slot for one job. It waits until ctx ends, but no longer than limit. Errors are
// the faults ModelBusy, ModelBusyTooLong and Canceled. release gives the slot back.
func (l *modelQueues) acquire(ctx context.Context, limit time.Duration, model inference.Model,
	party string) (release func(), err error) {
	const op = "wait for the model"
	m := l.join(model)
	wait := &lazyTimeout{Context: ctx, limit: limit}
	defer wait.stop()
	acquire := m.queue.Acquire
	if backgroundOf(ctx) != nil {
		acquire = m.queue.AcquireIdle
	}
	free, err := acquire(wait, party)
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
func (l *modelQueues) join(model inference.Model) *modelQueue {
	slots := l.capacity(model)
	if slots <= 0 {
		slots = l.slots
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.models[model]
	if m == nil {
		m = &modelQueue{queue: fairqueue.New(fairqueue.Options{Slots: slots, MaxWaiting: l.queue}), slots: slots}
		l.models[model] = m
	}
	m.users++
	if m.slots != slots {
		m.slots = slots
		m.queue.Resize(slots)
	}
	return m
}

func (l *modelQueues) leave(model inference.Model, m *modelQueue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.users--; m.users == 0 && len(l.models) > keptIdleQueues {
		delete(l.models, model)
	}
}

// lazyTimeout is a context whose timeout starts with the first call of Done. Most requests find a
// free slot and need no timer. It belongs to one goroutine.
type lazyTimeout struct {
	context.Context
	limit  time.Duration
	cancel context.CancelFunc
}

// Done starts the timeout.
func (p *lazyTimeout) Done() <-chan struct{} {
	if p.cancel == nil {
		p.Context, p.cancel = context.WithTimeout(p.Context, p.limit)
	}
	return p.Context.Done()
}

func (p *lazyTimeout) stop() {
	if p.cancel != nil {
		p.cancel()
	}
}
