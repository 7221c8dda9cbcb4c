package modelconfig

import (
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/inference"
)

// Limits returns how long others may take with answers of models.
func Limits(cfg *config.Config) inference.Limits {
	c := &cfg.AI
	return inference.Limits{FirstByte: c.FirstByteTimeout, Silence: c.SilenceTimeout, Whole: c.AnswerTimeout}
}
