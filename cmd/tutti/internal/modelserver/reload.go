package modelserver

import (
	"context"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
)

// modelOptions are the options that say which models are served, at what price.
func modelOptions() []string {
	return []string{"aiModels", "aiVerifiedModels", "pricePerUnit", "pixelsPerUnit"}
}

// Prepare returns the step that reads the models file again if it or what belongs to it has changed;
// book is nil where models have no prices. A mistake in the file, which at the start costs only
// the entry, is an error here: the entries that are in force stay.
func (p *Part) Prepare(book *pricing.Book) nodeenv.Step {
	return func(_ context.Context, now, next *config.Config) (func(), error) {
		files := nodeenv.SumFiles(next)
		same := p.files["aiModels"] == files["aiModels"] && p.files["aiVerifiedModels"] == files["aiVerifiedModels"]
		if same && !nodeenv.ConfigChanged(now, next, modelOptions()...) {
			return nil, nil
		}
		list, notices, err := p.readModels(next)
		if err != nil {
			return nil, err
		}
		if p.Manager != nil && list.Managed() {
			if _, err := modelconfig.MakeDir(p.Config); err != nil {
				return nil, err
			}
		}
		return func() {
			for _, notice := range notices {
				p.Log.Warn("models file", "notice", notice.String())
			}
			p.takeModels(next, list, book)
			p.files = files
		}, nil
	}
}

// readModels reads the models file of a configuration. All options that only a start
// takes over are as they are in force.
func (p *Part) readModels(next *config.Config) (*models.Config, []models.Notice, error) {
	cfg := *p.Config
	cfg.AI.Models, cfg.AI.VerifiedModels = next.AI.Models, next.AI.VerifiedModels
	cfg.Prices.PerUnit, cfg.Prices.PixelsPerUnit = next.Prices.PerUnit, next.Prices.PixelsPerUnit
	devices := make([]models.Device, elsewhere)
	if p.Manager != nil {
		devices = *p.modelGPUs.Load()
	}
	return modelconfig.Load(&cfg, devices)
}

// takeModels puts the entries of a models file in force. Prices come first, so that no
// model is offered without its own.
func (p *Part) takeModels(next *config.Config, list *models.Config, book *pricing.Book) {
	if book != nil {
		book.ReplaceModels(prices.OfModels(next, list))
	}
	if p.Manager != nil {
		p.Manager.Replace(modelconfig.Entries(list, p.Config.AI.VerboseLogs))
	}
	for _, key := range p.problems {
		p.Board.Clear(key)
	}
	p.problems = nil
	notice := ""
	if none := (health.Key{Code: fault.NoModels}); p.Manager != nil && list.Empty() {
		notice = p.withoutModels()
	} else {
		p.Board.Clear(none)
	}
	p.notice.Store(&notice)
	p.Log.Info("models file taken over", "entries", len(list.Entries), "models", len(list.Models()))
}
