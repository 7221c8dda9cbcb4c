package remote

import (
	"errors"
	"sync"
	"time"
)

// ErrNotYours: a result came from another worker than the one that has the task.
var ErrOtherWorker = errors.New("the task is another worker's")

// TaskID names a task to the worker that got it. Ids rise within a process.
type TaskID int64

// Tasks are the tasks that workers have and whose results are waited for. What
// nobody waits for is not kept. Its methods may be called at the same time.
type Tasks[R any] struct {
	mu   sync.Mutex
	next TaskID
	open map[TaskID]*Task[R]
}

// NewTasks has none. The ids begin at first, which must be another with each start of
// the process: a result that comes late, for a task of the process before, would be
// taken for that of the task which has its id now.
func NewTasks[R any](first TaskID) *Tasks[R] {
	return &Tasks[R]{next: first, open: make(map[TaskID]*Task[R])}
}

// FirstTask is an id to begin with: a second has room for a million.
func FirstTask(now time.Time) TaskID { return TaskID(now.Unix()) << 20 }

// Task is one task, for whoever waits for its result.
type Task[R any] struct {
	// ID is what the worker is told.
	ID TaskID

	table  *Tasks[R]
	owner  string
	result chan R
	// gone is closed when nobody waits any more.
	abandoned chan struct{}
	// claimed is under the table's mu.
	claimed bool
}

// Open makes a task. Its owner is the instance of the worker that gets it, "" where
// the worker has none: then any holder of the secret may bring the result.
func (t *Tasks[R]) Open(owner string) *Task[R] {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := &Task[R]{ID: t.next, table: t, owner: owner, result: make(chan R, 1), abandoned: make(chan struct{})}
	t.next++
	t.open[k.ID] = k
	return k
}

// Len is how many tasks are open.
func (t *Tasks[R]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// Result gets the result, at most once.
func (k *Task[R]) Result() <-chan R { return k.result }

// Forsake gives a task up whose result has not begun to come: later ones are nobody's.
// It is false when one has come, or is on its way in.
func (k *Task[R]) Abandon() bool {
	k.table.mu.Lock()
	defer k.table.mu.Unlock()
	if k.claimed {
		return false
	}
	delete(k.table.open, k.ID)
	return true
}

// Close ends the wait: later results are nobody's. A result that was delivered and
// not received is returned, for what it may hold. Close may be called again.
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

// Claim is the right of one sender to bring a task's result.
type Claim[R any] struct {
	task *Task[R]
}

// Claim is asked before a result's body is read. It is nil without an error when
// nobody waits for it, because the task is unknown, over, or another result of it is
// being read: the sender then hears that all is well. from is the sender's instance.
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

// Gone is closed when nobody waits any more.
func (c *Claim[R]) Abandoned() <-chan struct{} { return c.task.abandoned }

// Deliver hands the result over; false says that nobody waits any more, and that it
// stays the caller's. A claim ends with one Deliver or one Release.
func (c *Claim[R]) Deliver(r R) bool {
	k := c.task
	k.table.mu.Lock()
	defer k.table.mu.Unlock()
	if k.table.open[k.ID] != k {
		return false
	}
	// Not open for other results, but not closed: whoever waits still may Close.
	delete(k.table.open, k.ID)
	k.result <- r
	return true
}

// Release lets another result come in place of this one, which broke off.
func (c *Claim[R]) Release() {
	c.task.table.mu.Lock()
	defer c.task.table.mu.Unlock()
	c.task.claimed = false
}

// Settle hands over a result for a task whatever else of it is being read, for a sender
// that knows that nothing will come of that. It is false when nobody waits for the task,
// or it is another's.
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
