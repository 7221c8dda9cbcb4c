package orchestrate

import (
	"sync"
	"time"
)

// Work on bad input is not billed, because a gateway cannot inspect what its clients send.
// To bound this free work, its time is recorded per party, and a party with too much
// unbilled time is refused until the record has decayed.
const (
	// maxUnbilled is the unbilled time at which a party is refused.
	maxUnbilled = 30 * time.Second
	// One second of unbilled time decays in unbilledDecay seconds, or is offset by
	// paidPerUnbilled seconds of paid time. So a gateway with many streams may have a broken
	// one among them, which usually fails at once.
	unbilledDecay   = 20
	paidPerUnbilled = 2
	// maxUnbilledParties limits the parties and sources that are recorded.
	maxUnbilledParties = 1024
	// wrongHashCost is the unbilled time of a body with a wrong hash, however long it took:
	// a correct gateway never sends one.
	wrongHashCost = 6 * time.Second
)

// unbilledWork records the unbilled time of parties and sources. It is safe for concurrent
// use.
type unbilledWork struct {
	mu sync.Mutex
	by map[string]unbilledTime // by party or source, without zero entries; guarded by mu
}

type unbilledTime struct {
	time time.Duration
	at   time.Time
}

// remaining returns what has not decayed at now.
func (w unbilledTime) remaining(now time.Time) time.Duration {
	return max(0, w.time-max(0, now.Sub(w.at))/unbilledDecay)
}

// add records unbilled time.
func (w *unbilledWork) add(party string, took time.Duration, now time.Time) {
	if took <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.by[party]; !known && len(w.by) >= maxUnbilledParties {
		w.evictSmallestLocked(now)
	}
	if w.by == nil {
		w.by = make(map[string]unbilledTime)
	}
	w.by[party] = unbilledTime{w.by[party].remaining(now) + took, now}
}

// offset reduces a party's record by paid time.
func (w *unbilledWork) offset(party string, took time.Duration, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old, known := w.by[party]
	if !known {
		return
	}
	left := old.remaining(now) - max(0, took)/paidPerUnbilled
	if left <= 0 {
		delete(w.by, party)
		return
	}
	w.by[party] = unbilledTime{left, now}
}

// overLimit reports whether a party is refused.
func (w *unbilledWork) overLimit(party string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.by[party].remaining(now) >= maxUnbilled
}

// evictSmallestLocked drops decayed entries and the smallest one.
func (w *unbilledWork) evictSmallestLocked(now time.Time) {
	var least string
	lowest := time.Duration(-1)
	for party, old := range w.by {
		left := old.remaining(now)
		if left == 0 {
			delete(w.by, party)
		}
		if lowest < 0 || left < lowest {
			least, lowest = party, left
		}
	}
	delete(w.by, least)
}
