package orchestrate

import "time"

// HandoverState is what an orchestrator hands to its successor process: the results that
// gateways may still fetch. Sessions are not part of it, because their tokens open them
// again.
type HandoverState struct {
	Renditions []KeptRendition
	Artifacts  []KeptArtifact
}

// KeptRendition is a rendition that waits for its download.
type KeptRendition struct {
	Path   Path
	Result Result
}

// KeptArtifact is an AI output that waits for its download.
type KeptArtifact struct {
	Path ArtifactPath
	Data []byte
	At   time.Time
}

// HandoverState returns the results to hand over. The bytes are shared and must not be
// changed.
func (o *Orchestrator) HandoverState() HandoverState {
	var out HandoverState
	o.results.each(func(p Path, r Result, _ time.Time) {
		out.Renditions = append(out.Renditions, KeptRendition{p, r})
	})
	o.artifacts.each(func(p ArtifactPath, data []byte, at time.Time) {
		out.Artifacts = append(out.Artifacts, KeptArtifact{p, data, at})
	})
	return out
}

// RestoreHandover stores another process's results, as far as the memory limits allow.
func (o *Orchestrator) RestoreHandover(e HandoverState) {
	for _, r := range e.Renditions {
		// The error means that the cache is full; the previous process had the same limit.
		_ = o.results.Put("", []Path{r.Path}, []Result{r.Result})
	}
	for _, a := range e.Artifacts {
		o.artifacts.restore(a.Path, a.Data, a.At)
	}
}

// restore stores a value with its original time.
func (s *resultCache[K, V]) restore(key K, value V, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.evictLocked("", s.size(value), s.now()) {
		s.putLocked("", key, value, at)
	}
}

// each calls f for every value, the oldest first.
func (s *resultCache[K, V]) each(f func(key K, value V, at time.Time)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.order.Front(); e != nil; e = e.Next() {
		it := s.entry(e)
		f(it.key, it.value, it.at)
	}
}
