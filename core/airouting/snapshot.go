package airouting

import (
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// Status is one orchestrator in a table, at one moment.
type Status struct {
	Offer    Offer
	InFlight int
	// FirstByte is the mean time to the first byte of a stream, or else of a whole answer; 0 when
	// unknown.
	FirstByte time.Duration
	// Full says that it recently had no free slot; Resting, until when it rests, zero when it does
	// not.
	Full    bool
	Resting time.Time
}

// Snapshot is the orchestrators of one model, at one moment.
type Snapshot struct {
	Model inference.Model
	// Refreshed is when the orchestrators were last asked for their offers.
	Refreshed time.Time
	Statuses  []Status
}

// Statuses lists the orchestrators that offer the model, in order of arrival.
func (t *Table) Statuses(now time.Time) []Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]Status, 0, len(t.list))
	for _, c := range t.list {
		if c.gone {
			continue
		}
		out = append(out, c.status(now))
	}
	return out
}

// status returns the candidate's state.
func (c *candidate) status(now time.Time) Status {
	s := Status{Offer: c.offer, InFlight: c.inFlight, Full: now.Before(c.fullUntil), Resting: c.restsUntil()}
	l := &c.stream
	if !l.known {
		l = &c.whole
	}
	s.FirstByte = time.Duration(l.mean * float64(time.Second))
	return s
}
