package endpoint

import (
	"slices"
	"time"
)

// weight is how much the newest sample counts in the moving averages.
const weight = 0.2

// samples is how many latencies the percentile covers.
const samples = 64

// stats are an endpoint's latencies and errors. The owner's mutex guards them.
type stats struct {
	latency float64 // milliseconds, moving average
	errors  float64 // share, moving average
	ring    [samples]time.Duration
	seen    int
}

func (s *stats) recordAnswer(took time.Duration) {
	s.recordLatency(took)
	s.errors -= weight * s.errors
}

// recordLatency counts a time whether or not there was an answer.
func (s *stats) recordLatency(took time.Duration) {
	ms := float64(took) / float64(time.Millisecond)
	if s.seen == 0 {
		s.latency = ms
	}
	s.latency += weight * (ms - s.latency)
	s.ring[s.seen%samples] = took
	s.seen++
}

func (s *stats) recordFailure() { s.errors += weight * (1 - s.errors) }

// p95 returns the time in which 95 of 100 answers came; 0 before any came.
func (s *stats) p95() time.Duration {
	n := min(s.seen, samples)
	if n == 0 {
		return 0
	}
	sorted := slices.Clone(s.ring[:n])
	slices.Sort(sorted)
	return sorted[n*95/100]
}

// cost ranks endpoints, the lowest first: milliseconds, to which errors and missing blocks are converted. An
// endpoint that was never asked ranks in the middle.
func (s *stats) cost(lag uint64) float64 {
	latency := s.latency
	if s.seen == 0 {
		latency = 200
	}
	const perError, perBlock, mostBlocks = 3000, 25, 400
	return latency + perError*s.errors + perBlock*float64(min(lag, mostBlocks))
}
