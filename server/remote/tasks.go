package remote

import (
	"errors"
	"sync"
	"time"
)

// ErrOtherWorker: a result came from another worker than the one that has the task.
var ErrOtherWorker = errors.New("the task is another worker's")

// TaskID names a task to the worker that got it. Ids rise within a process.
type TaskID int64

// Tasks are the tasks at workers that wait for a result. Its methods are safe for concurrent
// use.
type Tasks[R any] struct {
	mu   sync.Mutex
	next TaskID
	open map[TaskID]*Task[R]
}

// NewTasks is empty. The ids begin at first, which must differ with each start of the
// process: otherwise a late result of a previous process's task could be taken for the
// result of a new one.
func NewTasks[R any](first TaskID) *Tasks[R] {
	return &Tasks[R]{next: first, open: make(map[TaskID]*Task[R])}
}

// FirstTask returns an id to begin with: there are a million ids per second.
func FirstTask(now time.Time) TaskID { return TaskID(now.Unix()) << 20 }

// Task is one task, for the caller that waits for its result.
type Task[R any] struct {
	// ID is its id for the worker.
	ID TaskID

	table  *Tasks[R]
	owner  string
	result chan R
	// abandoned is closed when the caller stopped waiting.
	abandoned chan struct{}
	// claimed is under the table's mu.
	claimed bool
}

// Open makes a task. Its owner is the instance of its worker; with "" any holder of the
// secret may deliver the result.
func (t *Tasks[R]) Open(owner string) *Task[R] {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &Task[R]{ID: t.next, table: t, owner: owner, result: make(chan R, 1), abandoned: make(chan struct{})}
	t.next++
	t.open[k.ID] = k
	return k
}

// Len returns how many tasks are open.
func (t *Tasks[R]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// Result gets the result, at most once.
func (k *Task[R]) Result() <-chan R { return k.result }

// Abandon removes a task, unless a result was delivered or is being received; then it is
// false. Later results are dropped.
func (k *Task[R]) Abandon() bool {
	k.table.mu.Lock()
	defer k.table.mu.Unlock()
	if k.claimed {
		return false
	}
	delete(k.table.open, k.ID)
	return true
}

// Close ends the wait; later results are dropped. It returns a result that was delivered but
// not received, whose resources the caller must release. Close may be called again.
func (k *Task[R]) Close() (undelivered R, ok bool) {
	k.table.mu.Lock()
	defer k.table.mu.Unlock()
	select {
	case <-k.abandoned:
		return undelivered, false
	default:
	}
	delete(k.table.open, k.ID)
	close(k.abandoned)
	select {
	case undelivered = <-k.result:
		return undelivered, true
	default:
		return undelivered, false
	}
}

// Claim is one sender's right to deliver a task's result.
type Claim[R any] struct {
	task *Task[R]
}

// Claim is called before a result's body is read. It is nil without an error when no caller
// waits for it, because the task is unknown or over, or another result of it is being read;
// the sender then gets the reply of an accepted result. from is the sender's instance.
func (t *Tasks[R]) Claim(id TaskID, from string) (*Claim[R], error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.open[id]
	switch {
	case k == nil:
		return nil, nil
	case k.owner != "" && k.owner != from:
		return nil, ErrOtherWorker
	case k.claimed:
		return nil, nil
	}
	k.claimed = true
	return &Claim[R]{task: k}, nil
}

// Abandoned is closed when the caller stopped waiting.
func (c *Claim[R]) Abandoned() <-chan struct{} { return c.task.abandoned }

// Deliver hands the result to the waiting caller. False means that it stopped waiting and
// the result still belongs to the sender. A claim ends with one Deliver or one Release.
func (c *Claim[R]) Deliver(r R) bool {
	k := c.task
	k.table.mu.Lock()
	defer k.table.mu.Unlock()
	if k.table.open[k.ID] != k {
		return false
	}
	// Not open for other results, but not closed: the waiting caller calls Close.
	delete(k.table.open, k.ID)
	k.result <- r
	return true
}

// Release accepts another result in place of this one, which broke off.
func (c *Claim[R]) Release() {
	c.task.table.mu.Lock()
	defer c.task.table.mu.Unlock()
	c.task.claimed = false
}

// Settle delivers a result even while another one of the task is being read, for a sender
// that knows that the other one will not complete. It is false when no caller waits for the
// task or the task has another owner.
func (t *Tasks[R]) Settle(id TaskID, from string, r R) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.open[id]
	if k == nil || k.owner != from {
		return false
	}
	delete(t.open, id)
	k.result <- r
	return true
}
