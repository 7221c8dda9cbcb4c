package transcoders

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/remote"
)

// order is what is expected of a task's result.
type order struct {
	job    *core.TranscodeJob
	worker *worker
	// until is when the wait ends.
	until time.Time
}

// orders are the open ones. The zero value is empty.
type orders struct {
	mu   sync.Mutex
	open map[remote.TaskID]*order
}

func (o *orders) put(id remote.TaskID, x *order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = make(map[remote.TaskID]*order)
	}
	o.open[id] = x
}

func (o *orders) get(id remote.TaskID) *order {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[id]
}

func (o *orders) drop(id remote.TaskID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, id)
}
