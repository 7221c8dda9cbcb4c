package airouting

import (
	"slices"
	"time"
)

const (
	// keptFirst is how many times to the first token are kept of each orchestrator, and fewFirst how many of them are
	// too few to say what is usual.
	keptFirst, fewFirst = 128, 20
	// lateShare is the share of streams that begin in time.
	lateShare = 0.99
	// soonest is how long a stream may always take to begin.
	soonest = 100 * time.Millisecond
)

// firstTokens are the last times to the first token of an orchestrator's streams. The zero value knows none.
type firstTokens struct {
	times []float32 // in seconds, of the last keptFirst streams
	next  int
}

func (f *firstTokens) add(d time.Duration) {
	s := float32(max(0, d.Seconds()))
	if len(f.times) < keptFirst {
		f.times = append(f.times, s)
		return
	}
	f.times[f.next] = s
	f.next = (f.next + 1) % keptFirst
}

// late returns the time within which 99 of 100 streams begin, false where too few are known.
func (f *firstTokens) late() (time.Duration, bool) {
	if len(f.times) < fewFirst {
		return 0, false
	}
	sorted := slices.Clone(f.times)
	slices.Sort(sorted)
	at := min(len(sorted)-1, int(lateShare*float64(len(sorted))))
	return max(soonest, time.Duration(float64(sorted[at])*float64(time.Second))), true
}

// Late returns how long the answer of a stream may take to begin before it is later than nearly all others of this
// orchestrator; false where that is unknown, or the model is not loaded there.
func (l *Lease) Late() (time.Duration, bool) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if l.whole || l.probe || !l.c.offer.Warm {
		return 0, false
	}
	return l.c.firstTokens.late()
}

// Overtaken records that another orchestrator answered first: this one is at least as slow as that.
func (l *Lease) Overtaken(now time.Time) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if !l.began && !l.done {
		l.c.latency(l.whole).atLeast(now.Sub(l.start), now)
	}
}
