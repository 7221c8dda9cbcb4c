package orchestrate

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// refusalWindow is how long the condition stays after the last refusal. Sessions end and
// start all the time, and the health board is for lasting conditions.
const refusalWindow = time.Minute

// capacityRefusals records when gateways were last refused for lack of capacity, by bound.
type capacityRefusals struct {
	mu   sync.Mutex
	last map[Bound]time.Time // guarded by mu
	// shown is the bound that the condition names; guarded by mu.
	shown Bound
}

// bounds lists the bounds by priority for the condition's text; "" is an unknown bound. Read-only.
var bounds = []Bound{ByMemory, ByEncoders, BySessions, ByPace, "", ByOption}

// record records err if it is an OrchestratorCapped, and returns err unchanged.
func (c *capacityRefusals) record(err error, now time.Time) error {
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

// forget drops the refusals of a bound that was raised.
func (c *capacityRefusals) forget(by Bound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, by)
}

// current returns the bound that refuses gateways, false when none was refused recently. It does
// not change while the bound still refuses, because each change is logged.
func (c *capacityRefusals) current(now time.Time) (Bound, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, by := range append([]Bound{c.shown}, bounds...) {
		if last, ok := c.last[by]; ok && now.Sub(last) < refusalWindow {
			c.shown = by
			return by, true
		}
	}
	return "", false
}

// updateCappedCondition sets or clears OrchestratorCapped on the health board. The text
// is constant for a bound, because each change of it is reported.
func (o *Orchestrator) updateCappedCondition(now time.Time) {
	if o.opt.Board == nil {
		return
	}
	key := health.Key{Code: fault.OrchestratorCapped}
	const byDevices = "gateways are refused: the devices have no capacity for another session"
	by, some := o.capacityRefusals.current(now)
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
