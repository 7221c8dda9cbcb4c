package airouting

import (
	"math"
	"time"
)

const (
	// newest is the weight of a sample that comes right after another; the older the last one is,
	// the more a new one counts.
	newest = 0.3
	// halfLife is the time in which an old mean counts half. A once slow orchestrator must look
	// good again in time, or its recovery would never be noticed.
	halfLife = 10 * time.Second
	// maxHalvings bounds the decay of a mean.
	maxHalvings = 20
)

// latency is a moving mean of times to the first byte. The zero value is unknown.
type latency struct {
	mean  float64 // seconds
	at    time.Time
	known bool
}

func (l *latency) add(d time.Duration, now time.Time) {
	s := max(0, d.Seconds())
	if !l.known {
		*l = latency{mean: s, at: now, known: true}
		return
	}
	l.mean += (1 - (1-newest)*l.fading(now)) * (s - l.mean)
	l.at = now
}

// atLeast adds a time that passed without an answer: it can only increase the mean.
func (l *latency) atLeast(d time.Duration, now time.Time) {
	if !l.known || d.Seconds() > l.mean {
		l.add(d, now)
	}
}

// value returns the mean with its decay, in seconds.
func (l *latency) value(now time.Time) float64 { return l.mean * l.fading(now) }

// fading is between 1, for a new mean, and 0.
func (l *latency) fading(now time.Time) float64 {
	halvings := now.Sub(l.at).Seconds() / halfLife.Seconds()
	return math.Exp2(-min(maxHalvings, max(0, halvings)))
}
