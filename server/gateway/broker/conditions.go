package broker

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// maxConditions bounds the models with a condition, because orchestrators choose their names.
const maxConditions = 32

// conditions reports to the operator which requested models cannot be run by the orchestrators that
// have them.
type conditions struct {
	board *health.Board // nil takes none

	mu  sync.Mutex
	set map[inference.Model]bool
}

// report records how a discovery for a model ended. One that reached no orchestrator changes
// nothing.
func (c *conditions) report(model inference.Model, err error) {
	switch {
	case err == nil:
		c.clear(model)
	case fault.CodeOf(err) == fault.ModelUnavailable, fault.CodeOf(err) == fault.ModelWithdrawn:
		c.raise(model, err)
	case fault.CodeOf(err) != fault.NoOrchestratorReachable:
		c.clear(model)
	}
}

// raise sets a model's condition.
func (c *conditions) raise(model inference.Model, err error) {
	if c.board == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.set[model] && len(c.set) >= maxConditions {
		return
	}
	if c.set == nil {
		c.set = make(map[inference.Model]bool)
	}
	c.set[model] = true
	c.board.Report(keyOf(model), err)
}

// clear ends a model's condition.
func (c *conditions) clear(model inference.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set[model] {
		delete(c.set, model)
		c.board.Clear(keyOf(model))
	}
}

// has reports whether a model has a condition.
func (c *conditions) has(model inference.Model) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set[model]
}

func keyOf(model inference.Model) health.Key {
	return health.Key{Code: fault.ModelUnavailable, About: model.String()}
}
