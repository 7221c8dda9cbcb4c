package upstream

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// StatusChanges remembers how each orchestrator last answered, so that only changes are logged. The
// zero value is ready.
type StatusChanges struct {
	mu sync.Mutex
	m  map[string]fault.Code
}

// maxStatuses bounds the table; a hook may name ever new orchestrators.
const maxStatuses = 1024

// Change records an answer, code "" for a good one, and reports whether it differs from the last
// one.
func (s *StatusChanges) Change(uri string, code fault.Code) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.m[uri]
	if known && before == code {
		return false
	}
	if s.m == nil || len(s.m) >= maxStatuses {
		s.m = make(map[string]fault.Code)
	}
	s.m[uri] = code
	return true
}
