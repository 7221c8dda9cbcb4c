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
	wasteLimit = 30 * time.Second
	// One second of unbilled time decays in unbilledDecay seconds, or is offset by
	// paidPerUnbilled seconds of paid time. So a gateway with many streams may have a broken
	// one among them, which usually fails at once.
	wasteFade  = 20
	wasteWorth = 2
	// maxUnbilledParties limits the parties and sources that are recorded.
	maxWasters = 1024
	// wrongHashCost is the unbilled time of a body with a wrong hash, however long it took:
	// a correct gateway never sends one.
	wrongHash = 6 * time.Second
)

// unbilledWork records the unbilled time of parties and sources. It is safe for concurrent
// use.
type waste struct {
	mu sync.Mutex
	by map[string]wasted // by party or source, without zero entries; guarded by mu
}

type wasted struct {
	time time.Duration
	at   time.Time
}

// remaining is what has not decayed at now.
func (w wasted) left(now time.Time) time.Duration {
	return max(0, w.time-max(0, now.Sub(w.at))/wasteFade)
}

// add records unbilled time.
func (w *waste) spoil(who string, took time.Duration, now time.Time) {
	if took <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.by[who]; !known && len(w.by) >= maxWasters {
		w.makeRoom(now)
	}
	if w.by == nil {
		w.by = make(map[string]wasted)
	}
	w.by[who] = wasted{w.by[who].left(now) + took, now}
}

// offset reduces a party's record by paid time.
func (w *waste) redeem(who string, took time.Duration, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old, known := w.by[who]
	if !known {
		return
	}
	left := old.left(now) - max(0, took)/wasteWorth
	if left <= 0 {
		delete(w.by, who)
		return
	}
	w.by[who] = wasted{left, now}
}

// overLimit reports whether a party is refused.
func (w *waste) tooMuch(who string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.by[who].left(now) >= wasteLimit
}

// evictSmallestLocked drops decayed entries and the smallest one.
func (w *waste) makeRoom(now time.Time) {
	var least string
	lowest := time.Duration(-1)
	for who, old := range w.by {
		left := old.left(now)
		if left == 0 {
			delete(w.by, who)
		}
		if lowest < 0 || left < lowest {
			least, lowest = who, left
		}
	}
	delete(w.by, least)
}
