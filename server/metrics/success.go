package metrics

import "sync"

// successWindow is how many segments the success rate looks back on.
const successWindow = 200

// success is the share of the last segments that were transcoded.
type success struct {
	mu   sync.Mutex
	last [successWindow]bool // guarded by mu
	n    int                 // guarded by mu, segments seen in all
}

func (s *success) add(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[s.n%successWindow] = ok
	s.n++
}

// rate is 1 as long as nothing was seen.
func (s *success) rate() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := min(s.n, successWindow)
	if seen == 0 {
		return 1
	}
	good := 0
	for _, ok := range s.last[:seen] {
		if ok {
			good++
		}
	}
	return float64(good) / float64(seen)
}
