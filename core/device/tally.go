package device

import (
	"slices"
	"sync"
	"sync/atomic"
)

// maxTallies limits the names whose counts are kept.
const maxTallies = 4096

// Tally counts what a worker did. Its zero value counts from zero; it is safe for
// concurrent use.
type Tally struct{ done, failed atomic.Int64 }

// Done counts a segment or job that the worker finished.
func (t *Tally) Done() { t.done.Add(1) }

// Failed counts one that it failed.
func (t *Tally) Failed() { t.failed.Add(1) }

// Counts returns what was counted.
func (t *Tally) Counts() (done, failed int64) { return t.done.Load(), t.failed.Load() }

// Tallies keeps workers' tallies by name, so that a worker that reconnects continues with its
// counts. Beyond maxTallies the oldest name is dropped. The zero value is ready; it is safe
// for concurrent use.
type Tallies struct {
	mu     sync.Mutex
	byName map[string]*Tally
	order  []string
}

// Of returns the tally of a name.
func (t *Tallies) Of(name string) *Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.byName[name]; one != nil {
		return one
	}
	if t.byName == nil {
		t.byName = make(map[string]*Tally)
	}
	if len(t.order) == maxTallies {
		delete(t.byName, t.order[0])
		t.order = slices.Delete(t.order, 0, 1)
	}
	one := new(Tally)
	t.byName[name] = one
	t.order = append(t.order, name)
	return one
}
