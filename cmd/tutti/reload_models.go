package main

import (
	"context"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// modelOptions are the options that say which models are served, at what price.
var modelOptions = []string{"aiModels", "aiVerifiedModels", "pricePerUnit", "pixelsPerUnit"}

// prepareModels reads the models file again if it or what belongs to it has changed. A
// mistake in it, which at the start costs only the entry, is an error here: the entries
// that are in force stay.
func (n *node) prepareModels(_ context.Context, now, next *config.Config) (func(), error) {
	if n.ai == nil {
		return nil, nil
	}
	files := sumFiles(next)
	same := n.ai.files["aiModels"] == files["aiModels"] && n.ai.files["aiVerifiedModels"] == files["aiVerifiedModels"]
	if same && !changed(now, next, modelOptions...) {
		return nil, nil
	}
	list, notices, err := n.readModels(next)
	if err != nil {
		return nil, err
	}
	if n.ai.manager != nil && list.Managed() {
		if _, err := modelconfig.MakeDir(n.Config); err != nil {
			return nil, err
		}
	}
	return func() {
		for _, notice := range notices {
			n.Log.Warn("models file", "notice", notice.String())
		}
		n.takeModels(list)
		n.ai.files = files
	}, nil
}

// readModels reads the models file of a configuration. All options that only a start
// takes over are as they are in force.
func (n *node) readModels(next *config.Config) (*models.Config, []models.Notice, error) {
	cfg := *n.Config
	cfg.AI.Models, cfg.AI.VerifiedModels = next.AI.Models, next.AI.VerifiedModels
	cfg.Prices.PerUnit, cfg.Prices.PixelsPerUnit = next.Prices.PerUnit, next.Prices.PixelsPerUnit
	devices := make([]models.Device, elsewhere)
	if n.ai.manager != nil {
		devices = *n.modelGPUs.Load()
	}
	return modelconfig.Load(&cfg, devices)
}

// takeModels puts the entries of a models file in force. Prices come first, so that no
// model is offered without its own.
func (n *node) takeModels(list *models.Config) {
	w := n.ai
	if n.prices != nil && n.prices.Book != nil {
		n.prices.Book.ReplaceModels(prices.ModelPrices(list))
	}
	if w.manager != nil {
		w.manager.Replace(modelconfig.Entries(list, n.Config.AI.VerboseLogs))
	}
	for _, key := range w.problems {
		n.Board.Clear(key)
	}
	w.problems = nil
	notice := ""
	if none := (health.Key{Code: fault.NoModels}); w.manager != nil && list.Empty() {
		notice = n.withoutModels()
	} else {
		n.Board.Clear(none)
	}
	w.notice.Store(&notice)
	n.Log.Info("models file taken over", "entries", len(list.Entries), "models", len(list.Models()))
}
