package orchestrate

import "time"

// Waste lets tests fill the memory of gateways.
type Waste struct{ waste }

func (w *Waste) Spoil(who string, took time.Duration, now time.Time) { w.spoil(who, took, now) }
func (w *Waste) TooMuch(who string, now time.Time) bool              { return w.tooMuch(who, now) }
func (w *Waste) Len() int                                            { return len(w.by) }
