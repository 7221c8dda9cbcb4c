package main

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
)

// elsewhere is as many devices as workers may have, of any size: what does not run
// here need not fit here.
const elsewhere = 1024

// pricesOfModels reads the models file of an orchestrator that runs no models itself,
// for the prices of those that its workers bring.
func (n *node) pricesOfModels(w *aiWork) {
	if !n.cfg.Roles.Orchestrator || n.cfg.AI.Models == "" {
		return
	}
	list, notices, problems := modelconfig.Load(n.cfg, make([]models.Device, elsewhere))
	for _, notice := range notices {
		n.log.Warn("models file", "notice", notice.String())
	}
	w.models = list
	why := n.reportModels(w, problems)
	w.notice.Store(&why)
}

// priced is a worker whose models are offered only if they have a price: who brings a
// model does not set what it costs, and nothing is served for another model's price.
type priced struct {
	inference.Worker
	book  *pricing.Book
	board *health.Board

	mu   sync.Mutex
	told string
}

// has reports whether a model has a price, be it for a single gateway: the quote of any
// other does not cover it.
func (p *priced) has(model inference.Model) bool { return slices.Contains(p.book.Models(), model) }

// Models are those that have a price. The board names the others.
func (p *priced) Models() []inference.ModelState {
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
func (p *priced) tell(names string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if names == p.told {
		return
	}
	p.told = names
	key := health.Key{Code: fault.ModelUnpriced}
	if names == "" {
		p.board.Clear(key)
		return
	}
	p.board.Set(key, names)
}

// Reserve refuses models without a price.
func (p *priced) Reserve(ctx context.Context, model inference.Model, party string) (inference.Slot, error) {
	if !p.has(model) {
		return nil, fault.New(fault.ModelNotServed, "reserve model", model.String()+" has no price")
	}
	return p.Worker.Reserve(ctx, model, party)
}
