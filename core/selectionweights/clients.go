package selectionweights

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

const (
	// manyClients is how many clients must have measured an orchestrator as slow or failing for that
	// to count for all: the media of each may be the cause.
	manyClients = 3
	// maxClients bounds the clients with measures of one orchestrator.
	maxClients = 64
)

// ClientMeasures are the measures of orchestrators by the client whose jobs they did. The zero value
// is ready; it is safe for concurrent use.
type ClientMeasures struct {
	mu sync.Mutex
	m  map[string]map[string]Measure // by service URI and client
}

// Done records a client's successful job, as Measures.Done.
func (s *ClientMeasures) Done(uri, client string, latency float64, now time.Time) {
	s.change(uri, client, now, func(m *Measure) { m.done(latency) })
}

// Failed records a client's failed job.
func (s *ClientMeasures) Failed(uri, client string, now time.Time) {
	s.change(uri, client, now, func(m *Measure) { m.Jobs++ })
}

// Of is an orchestrator's measure by a client's own jobs, and a measure that is no better than
// those by many clients' jobs; unknown ones are zero.
func (s *ClientMeasures) Of(uri, client string, now time.Time) (own, many Measure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Measure
	for _, m := range s.m[uri] {
		if m = m.faded(now); m.Jobs >= minJobs {
			all = append(all, m)
		}
	}
	if len(all) >= manyClients {
		slices.SortFunc(all, func(a, b Measure) int { return cmp.Compare(a.Speed(), b.Speed()) })
		many = all[manyClients-1]
	}
	return s.m[uri][client].faded(now), many
}

func (s *ClientMeasures) change(uri, client string, now time.Time, f func(*Measure)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[string]map[string]Measure)
	}
	clients := s.m[uri]
	if clients == nil {
		if len(s.m) >= maxMeasured {
			delete(s.m, oldestOf(s.m, latest))
		}
		clients = make(map[string]Measure)
		s.m[uri] = clients
	}
	if _, known := clients[client]; !known && len(clients) >= maxClients {
		delete(clients, oldestOf(clients, func(m Measure) time.Time { return m.at }))
	}
	m := clients[client].faded(now)
	f(&m)
	clients[client] = m
}

// latest is when an orchestrator's measures changed last.
func latest(clients map[string]Measure) (at time.Time) {
	for _, m := range clients {
		if m.at.After(at) {
			at = m.at
		}
	}
	return at
}

// oldestOf is the key of the entry with the earliest time.
func oldestOf[V any](m map[string]V, at func(V) time.Time) (oldest string) {
	first := true
	for key, v := range m {
		if first || at(v).Before(at(m[oldest])) {
			oldest, first = key, false
		}
	}
	return oldest
}
