package orchestrate

import "time"

// UnbilledWork lets tests fill the memory of gateways.
type UnbilledWork struct{ unbilledWork }

func (w *UnbilledWork) Add(party string, took time.Duration, now time.Time) { w.add(party, took, now) }
func (w *UnbilledWork) OverLimit(party string, now time.Time) bool          { return w.overLimit(party, now) }
func (w *UnbilledWork) Len() int                                            { return len(w.by) }
