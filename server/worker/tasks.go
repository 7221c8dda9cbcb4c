package worker

import (
	"context"
	"sync"
	"time"
)

// tasks are the running tasks of one orchestrator.
type tasks struct {
	// slots holds one token per running task.
	slots chan struct{}
	// all are the goroutines of tasks and of Link.Go.
	all sync.WaitGroup

	mu      sync.Mutex // covers the fields below
	running map[int64]*task
	count   int
	// idle is closed and replaced when the last task ends.
	idle chan struct{}
}

type task struct{ cancel context.CancelFunc }

func newTasks(most int) *tasks {
	return &tasks{slots: make(chan struct{}, most), running: make(map[int64]*task), idle: make(chan struct{})}
}

// has reports whether a task runs.
func (t *tasks) has(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running[id] != nil
}

// start waits for a slot and runs f. It cancels a running task with the same id, which is
// of an orchestrator process that has restarted since. It is false when ctx ended before a
// slot was free.
func (t *tasks) start(ctx context.Context, id int64, f func(ctx context.Context)) bool {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	own := &task{cancel: cancel}
	t.mu.Lock()
	if old := t.running[id]; old != nil {
		old.cancel()
	}
	t.running[id] = own
	t.count++
	t.mu.Unlock()
	t.all.Go(func() {
		defer func() {
			cancel()
			t.end(id, own)
			<-t.slots
		}()
		f(ctx)
	})
	return true
}

func (t *tasks) end(id int64, own *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[id] == own {
		delete(t.running, id)
	}
	if t.count--; t.count == 0 {
		close(t.idle)
		t.idle = make(chan struct{})
	}
}

func (t *tasks) cancel(id int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if task := t.running[id]; task != nil {
		task.cancel()
	}
}

func (t *tasks) cancelAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, task := range t.running {
		task.cancel()
	}
}

func (t *tasks) active() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// idleSignal is nil when no task runs, else closed when the last one ends.
func (t *tasks) idleSignal() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == 0 {
		return nil
	}
	return t.idle
}

// wait waits until no task runs, ctx ends or the limit is over; 0 is no limit.
func (t *tasks) wait(ctx context.Context, limit time.Duration) {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	for {
		quiet := t.idleSignal()
		if quiet == nil {
			return
		}
		select {
		case <-quiet:
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}
