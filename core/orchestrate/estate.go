package orchestrate

import "time"

// Estate is what an orchestrator leaves to the process that takes its place: what
// gateways were told of and may still fetch. Sessions are not in it: their tokens open
// them again.
type Estate struct {
	Renditions []LeftRendition
	Artifacts  []LeftArtifact
}

// LeftRendition is a rendition that waits for its download.
type LeftRendition struct {
	Path   Path
	Result Result
}

// LeftArtifact is what a job made.
type LeftArtifact struct {
	Path ArtifactPath
	Data []byte
	At   time.Time
}

// Estate is what there is to leave. The bytes are shared: they must not be changed.
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

// Inherit keeps what another process left, as far as there is room for it.
func (o *Orchestrator) Inherit(e Estate) {
	for _, r := range e.Renditions {
		// One that finds no room would have had none there.
		_ = o.results.Put("", []Path{r.Path}, []Result{r.Result})
	}
	for _, a := range e.Artifacts {
		o.artifacts.inherit(a.Path, a.Data, a.At)
	}
}

// inherit puts a value that was made at a time.
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
