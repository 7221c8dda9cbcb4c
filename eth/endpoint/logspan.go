package endpoint

import (
	"sync"
	"time"
)

// largestSpan bounds how many blocks one log request may ever cover.
const largestSpan = 10_000

// smallSpan is how many blocks any endpoint reads the logs of in no time.
const smallSpan = 100

// spanMemory is how long a refused span is not tried again.
const spanMemory = 5 * time.Minute

// spanPatience is after how many full requests it is tried again all the same: it
// may have been refused for many results where there are now few.
const spanPatience = 40

// logSpans remembers how many blocks an endpoint takes in one log request.
type logSpans struct {
	mu   sync.Mutex
	span uint64 // guarded by mu
	// ceiling is the least span that was refused lately; 0 for none. Guarded by mu.
	ceiling   uint64
	refusedAt time.Time // guarded by mu
	// held counts the requests that would have let it grow; guarded by mu.
	held int
	// start is the span of an endpoint that nothing is known of.
	start uint64
}

func newLogSpans(start uint64) *logSpans {
	return &logSpans{span: min(start, largestSpan), start: min(start, largestSpan)}
}

// next is the span to ask for.
func (s *logSpans) next() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.span
}

// refused halves the span; false when it cannot be less.
func (s *logSpans) refused(span uint64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if span <= 1 {
		return false
	}
	// Requests run side by side: only the first refusal of a span halves it.
	s.span = min(s.span, max(1, span/2))
	s.ceiling, s.refusedAt, s.held = span, now, 0
	return true
}

// late halves the span after a request that ran out of time, but not for a small
// one: it was not the size that made it hang.
func (s *logSpans) late(span uint64, now time.Time) {
	if span > smallSpan {
		s.refused(span, now)
	}
}

// granted lets the span grow again after a request that used it fully.
func (s *logSpans) granted(span uint64, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if span < s.span {
		return
	}
	s.held++
	if now.Sub(s.refusedAt) > spanMemory || s.held > spanPatience {
		s.ceiling = 0
	}
	grown := min(span*2, largestSpan)
	if s.ceiling > span {
		// Halfway between what is granted and what is refused finds the limit soon.
		grown = min(grown, span+(s.ceiling-span)/2)
	}
	s.span = max(s.span, grown)
}

// forget starts anew after refusals that were not for size.
func (s *logSpans) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.span, s.ceiling, s.held = s.start, 0, 0
}
