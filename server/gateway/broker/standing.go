package broker

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// maxStanding bounds the table; a hook may name ever new orchestrators.
const maxStanding = 1024

// standing remembers how each orchestrator last answered discovery, so that the log
// tells changes only. The zero value is ready.
type standing struct {
	mu sync.Mutex
	m  map[string]fault.Code
}

// change notes an answer, code "" for a good one, and reports whether it is news.
func (s *standing) change(uri string, code fault.Code) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.m[uri]
	if known && before == code {
		return false
	}
	if s.m == nil || len(s.m) >= maxStanding {
		s.m = make(map[string]fault.Code)
	}
	s.m[uri] = code
	return true
}
