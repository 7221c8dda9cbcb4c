package orchestrate

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// Waste lets tests fill the memory of gateways.
type Waste struct{ waste }

func (w *Waste) Spoil(who core.Address, took time.Duration, now time.Time) { w.spoil(who, took, now) }
func (w *Waste) TooMuch(who core.Address, now time.Time) bool              { return w.tooMuch(who, now) }
func (w *Waste) Len() int                                                  { return len(w.by) }
