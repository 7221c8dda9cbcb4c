package endpoint

import (
	"sync"
	"time"
)

// largestSpan bounds how many blocks one log request may ever cover.
const largestSpan = 10_000

// smallSpan is a number of blocks whose logs any endpoint reads quickly.
const smallSpan = 100

// spanRefusalTTL is how long a refused span is not tried again.
const spanRefusalTTL = 5 * time.Minute

// spanRetryRequests is after how many full requests it is tried again anyway: it may have been refused for
// many results where there are few now.
const spanRetryRequests = 40

// logSpans tracks how many blocks an endpoint accepts in one log request.
type logSpans struct {
	mu   sync.Mutex
	span uint64 // guarded by mu
	// ceiling is the smallest span refused recently; 0 for none. Guarded by mu.
	ceiling   uint64
	refusedAt time.Time // guarded by mu
	// fullRequests counts the requests that would have let the span grow; guarded by mu.
	fullRequests int
	// start is the initial span.
	start uint64
}

func newLogSpans(start uint64) *logSpans {
	return &logSpans{span: min(start, largestSpan), start: min(start, largestSpan)}
}

// next returns the span to ask for.
func (s *logSpans) next() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.span
}

// halve halves the span that an endpoint refused; false when it cannot be less.
func (s *logSpans) halve(span uint64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if span <= 1 {
		return false
	}
	// Requests run in parallel: only the first refusal of a span halves it.
	s.span = min(s.span, max(1, span/2))
	s.ceiling, s.refusedAt, s.fullRequests = span, now, 0
	return true
}

// timedOut halves the span after a timeout, but not a small one: its size was not the reason.
func (s *logSpans) timedOut(span uint64, now time.Time) {
	if span > smallSpan {
		s.halve(span, now)
	}
}

// granted lets the span grow again after a request that used all of it.
func (s *logSpans) granted(span uint64, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if span < s.span {
		return
	}
	s.fullRequests++
	if now.Sub(s.refusedAt) > spanRefusalTTL || s.fullRequests > spanRetryRequests {
		s.ceiling = 0
	}
	grown := min(span*2, largestSpan)
	if s.ceiling > span {
		// Halving the distance to the refused span finds the limit quickly.
		grown = min(grown, span+(s.ceiling-span)/2)
	}
	s.span = max(s.span, grown)
}

// reset goes back to the initial span after refusals that were not about size.
func (s *logSpans) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.span, s.ceiling, s.fullRequests = s.start, 0, 0
}
