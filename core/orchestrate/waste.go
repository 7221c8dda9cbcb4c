package orchestrate

import (
	"sync"
	"time"
)

// Work on input that turns out to be bad is not billed: a gateway cannot look into
// what its clients send, and a bill for nothing would only drive it away. It is not
// free without end either. The time that it took is remembered, and who has had much
// of it for nothing gets no more until that has worn off.
const (
	// wasteLimit is how much of our time a gateway may waste.
	wasteLimit = 30 * time.Second
	// wasteFade is how long it takes until a second is forgotten; wasteWorth is the
	// paid time that makes up for one. So a gateway of many streams may have a broken
	// one among them, which as a rule fails in no time.
	wasteFade  = 20
	wasteWorth = 2
	// maxWasters bounds the parties and sources that are remembered.
	maxWasters = 1024
	// wrongHash is what a body counts that is not what its gateway signed, whatever time
	// it took: as a rule there is none in all of a gateway's life.
	wrongHash = 6 * time.Second
)

// waste is the time that gateways have had for nothing. Its methods may be called at
// the same time.
type waste struct {
	mu sync.Mutex
	by map[string]wasted // by party or source; guarded by mu; those of which nothing is known are not in it
}

type wasted struct {
	time time.Duration
	at   time.Time
}

// left is what has not worn off.
func (w wasted) left(now time.Time) time.Duration {
	return max(0, w.time-max(0, now.Sub(w.at))/wasteFade)
}

// spoil notes time that came to nothing.
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

// redeem notes time that was paid.
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

// tooMuch reports whether a gateway gets no more for the moment.
func (w *waste) tooMuch(who string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.by[who].left(now) >= wasteLimit
}

// makeRoom forgets those of whom little is known: one at least. The caller holds mu.
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
