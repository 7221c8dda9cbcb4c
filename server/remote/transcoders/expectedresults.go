package transcoders

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/remote"
)

// expectedResult is what a task's result must match.
type expectedResult struct {
	job    *core.TranscodeJob
	worker *worker
	// until is when the wait ends.
	until time.Time
	// arriving: a result has begun to arrive.
	arriving atomic.Bool
}

// expectedResults are those of the open tasks. The zero value is empty.
type expectedResults struct {
	mu   sync.Mutex
	open map[remote.TaskID]*expectedResult
}

func (o *expectedResults) put(id remote.TaskID, x *expectedResult) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = make(map[remote.TaskID]*expectedResult)
	}
	o.open[id] = x
}

func (o *expectedResults) get(id remote.TaskID) *expectedResult {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.open[id]
}

func (o *expectedResults) drop(id remote.TaskID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, id)
}
