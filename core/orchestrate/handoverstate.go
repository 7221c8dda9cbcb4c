package orchestrate

import "time"

// HandoverState is what an orchestrator hands to its successor process: the results that
// gateways may still fetch. Sessions are not part of it, because their tokens open them
// again.
type Estate struct {
	Renditions []LeftRendition
	Artifacts  []LeftArtifact
}

// KeptRendition is a rendition that waits for its download.
type LeftRendition struct {
	Path   Path
	Result Result
}

// KeptArtifact is an AI output that waits for its download.
type LeftArtifact struct {
	Path ArtifactPath
	Data []byte
	At   time.Time
}

// HandoverState returns the results to hand over. The bytes are shared and must not be
// changed.
func (o *Orchestrator) Estate() Estate {
	var out Estate
	o.results.each(func(p Path, r Result, _ time.Time) {
		out.Renditions = append(out.Renditions, LeftRendition{p, r})
	})
	o.artifacts.each(func(p ArtifactPath, data []byte, at time.Time) {
		out.Artifacts = append(out.Artifacts, LeftArtifact{p, data, at})
	})
	return out
}

// RestoreHandover stores another process's results, as far as the memory limits allow.
func (o *Orchestrator) Inherit(e Estate) {
	for _, r := range e.Renditions {
		// The error means that the cache is full; the previous process had the same limit.
		_ = o.results.Put("", []Path{r.Path}, []Result{r.Result})
	}
	for _, a := range e.Artifacts {
		o.artifacts.inherit(a.Path, a.Data, a.At)
	}
}

// restore stores a value with its original time.
func (s *shelf[K, V]) inherit(key K, value V, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.makeRoom("", s.size(value), s.now()) {
		s.put("", key, value, at)
	}
}

// each calls f for every value, the oldest first.
func (s *shelf[K, V]) each(f func(key K, value V, at time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.order.Front(); e != nil; e = e.Next() {
		it := s.at(e)
		f(it.key, it.value, it.at)
	}
}
