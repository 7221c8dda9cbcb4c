package selectionweights

import (
	"math"
	"sync"
	"time"
)

const (
	// halfLife is the half-life of measurements: a once slow orchestrator must be tried again in
	// time.
	halfLife = 5 * time.Minute
	// minJobs is the decayed number of jobs that is enough for a score.
	minJobs = 0.5
	// maxMeasured bounds the tracked orchestrators, because addresses come from peers.
	maxMeasured = 4096
)

// Measure is one orchestrator's performance. The zero value is unknown.
type Measure struct {
	// Jobs counts jobs, Good the successful ones; Latency is the mean, over these, of the
	// processing time as a multiple of the playing time. Older ones count less.
	Jobs, Good, Latency float64
	at                  time.Time
}

// Speed is between 0 and 1: 1 for one that keeps pace and does not fail, and for an unknown one.
func (m Measure) Speed() float64 {
	// One more successful job is assumed: a single failure proves little.
	reliable := (m.Good + 1) / (m.Jobs + 1)
	if m.Latency > 1 {
		return reliable / (m.Latency * m.Latency)
	}
	return reliable
}

// Score returns the share of successful jobs, less for those that took longer than they play; ok is
// false without enough jobs.
func (m Measure) Score() (score float64, ok bool) {
	if m.Jobs < minJobs {
		return 0, false
	}
	return m.Good / m.Jobs / max(1, m.Latency), true
}

// faded returns the measure with its decay.
func (m Measure) faded(now time.Time) Measure {
	f := math.Exp2(-max(0, now.Sub(m.at).Seconds()) / halfLife.Seconds())
	m.Jobs, m.Good, m.at = m.Jobs*f, m.Good*f, now
	return m
}

// done adds a successful job.
func (m *Measure) done(latency float64) {
	if math.IsNaN(latency) || latency < 0 {
		latency = 0
	}
	m.Latency = (m.Latency*m.Good + latency) / (m.Good + 1)
	m.Jobs++
	m.Good++
}

// Measures are those of all orchestrators of a gateway, by service URI. The zero value is ready; it
// is safe for concurrent use.
type Measures struct {
	mu sync.Mutex
	m  map[string]Measure
}

// Done records a successful job and its processing time as a multiple of the playing time.
func (s *Measures) Done(uri string, latency float64, now time.Time) {
	s.change(uri, now, func(m *Measure) { m.done(latency) })
}

// Failed records a failed job.
func (s *Measures) Failed(uri string, now time.Time) {
	s.change(uri, now, func(m *Measure) { m.Jobs++ })
}

// Of returns an orchestrator's measure with its decay.
func (s *Measures) Of(uri string, now time.Time) Measure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[uri].faded(now)
}

func (s *Measures) change(uri string, now time.Time, f func(*Measure)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[string]Measure)
	}
	have, known := s.m[uri]
	if !known && len(s.m) >= maxMeasured {
		delete(s.m, oldestOf(s.m, func(m Measure) time.Time { return m.at }))
	}
	m := have.faded(now)
	f(&m)
	s.m[uri] = m
}
