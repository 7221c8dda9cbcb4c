package orchestrate

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// crowdTime is for how long after the last refusal a node counts as too small: places
// come free and are taken again all the time, and the board is for what lasts.
const crowdTime = time.Minute

// crowd is when a gateway was last refused for want of room, in Unix nanoseconds, 0 for
// never: by -maxSessions, and by what the devices bear. Refusals only store a number.
type crowd struct{ limit, devices atomic.Int64 }

// refused notes a refusal at one of the two, and returns it. Others than for want of
// room are none.
func (c *crowd) refused(at *atomic.Int64, err error, now time.Time) error {
	if fault.CodeOf(err) == fault.OrchestratorCapped {
		at.Store(now.UnixNano())
	}
	return err
}

// judgeRoom sets or clears the condition. Its words stay as long as the reason does,
// since each change of them is news.
func (o *Orchestrator) judgeRoom(now time.Time) {
	if o.opt.Board == nil {
		return
	}
	late := func(at *atomic.Int64) bool {
		last := at.Load()
		return last != 0 && now.Sub(time.Unix(0, last)) < crowdTime
	}
	key := health.Key{Code: fault.OrchestratorCapped}
	switch {
	case late(&o.crowd.devices):
		o.opt.Board.Set(key, "gateways are refused: the devices have no room for another session")
	case late(&o.crowd.limit):
		o.mu.Lock()
		limit := o.maxSessions
		o.mu.Unlock()
		o.opt.Board.Set(key, fmt.Sprintf("gateways are refused: all of -maxSessions %d are in use", limit))
	default:
		o.opt.Board.Clear(key)
	}
}
