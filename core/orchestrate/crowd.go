package orchestrate

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// crowdTime is for how long after the last refusal a node counts as too small: places
// come free and are taken again all the time, and the board is for what lasts.
const crowdTime = time.Minute

// crowd is when gateways were last refused for want of room, by bound.
type crowd struct {
	mu   sync.Mutex
	last map[Bound]time.Time // guarded by mu
	// shown is the bound that the condition names; guarded by mu.
	shown Bound
}

// bounds are in the order in which the condition names them; an empty one is a bound
// that is not known.
var bounds = []Bound{ByMemory, ByEncoders, BySessions, ByPace, "", ByOption}

// refused notes a refusal, and returns it. Others than for want of room are none.
func (c *crowd) refused(err error, now time.Time) error {
	if fault.CodeOf(err) != fault.OrchestratorCapped {
		return err
	}
	by, _ := errors.AsType[Bound](err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = make(map[Bound]time.Time)
	}
	c.last[by] = now
	return err
}

// forget forgets the refusals by a bound that has changed.
func (c *crowd) forget(by Bound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, by)
}

// bound is what keeps gateways out, false when none was refused recently. It stays the
// same as long as it refuses, because each change is a line in the log.
func (c *crowd) bound(now time.Time) (Bound, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, by := range append([]Bound{c.shown}, bounds...) {
		if last, ok := c.last[by]; ok && now.Sub(last) < crowdTime {
			c.shown = by
			return by, true
		}
	}
	return "", false
}

// judgeRoom sets or clears the condition. Its words stay as long as the reason does,
// since each change of them is news.
func (o *Orchestrator) judgeRoom(now time.Time) {
	if o.opt.Board == nil {
		return
	}
	key := health.Key{Code: fault.OrchestratorCapped}
	const byDevices = "gateways are refused: the devices have no room for another session"
	by, some := o.crowd.bound(now)
	switch {
	case !some:
		o.opt.Board.Clear(key)
	case by == ByOption:
		o.mu.Lock()
		limit := o.maxSessions
		o.mu.Unlock()
		o.opt.Board.Set(key, fmt.Sprintf("gateways are refused: all of -maxSessions %d are in use", limit))
	case by == "":
		o.opt.Board.Set(key, byDevices)
	default:
		o.opt.Board.Set(key, byDevices+" ("+string(by)+")")
	}
}
