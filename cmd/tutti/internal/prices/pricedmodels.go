package prices

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// Worker is a worker whose models are offered only if they have a price: the worker that has a
// model does not set what it costs, and nothing is served for another model's price.
type Worker struct {
	inference.Worker
	Book  *pricing.Book
	Board *health.Board

	mu       sync.Mutex
	reported string
}

// has reports whether a model has a price, be it for a single gateway: the quote of any
// other does not cover it.
func (p *Worker) has(model inference.Model) bool { return slices.Contains(p.Book.Models(), model) }

// Models returns those that have a price. The board names the others.
func (p *Worker) Models() []inference.ModelState {
	all := p.Worker.Models()
	var free []string
	out := slices.DeleteFunc(slices.Clone(all), func(s inference.ModelState) bool {
		if p.has(s.Model) {
			return false
		}
		free = append(free, s.Model.String())
		return true
	})
	p.tell(strings.Join(free, ", "))
	return out
}

// tell puts models without a price on the board, when they became others.
func (p *Worker) tell(names string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if names == p.reported {
		return
	}
	p.reported = names
	key := health.Key{Code: fault.ModelUnpriced}
	if names == "" {
		p.Board.Clear(key)
		return
	}
	p.Board.Set(key, names)
}

// Reserve refuses models without a price.
func (p *Worker) Reserve(ctx context.Context, model inference.Model, party string) (inference.Slot, error) {
	if !p.has(model) {
		return nil, fault.New(fault.ModelNotServed, "reserve model", model.String()+" has no price")
	}
	return p.Worker.Reserve(ctx, model, party)
}
