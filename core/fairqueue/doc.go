// Package fairqueue is a bounded, fair line in front of a number of slots: who comes
// when all are taken waits, parties take turns, and nobody waits without bound.
// ai/manager has one per model.
//
// It does not know what a slot is good for, nor why there are as many as there
// are: it is told. Whoever waits decides by a context for how long.
package fairqueue
