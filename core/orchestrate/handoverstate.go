package orchestrate

import (
	"time"

	"github.com/tuttinode/tutti/pm"
)

// HandoverState is what an orchestrator hands to its successor process: the results that
// gateways may still fetch. Sessions are not part of it, because their tokens open them
// again.
type HandoverState struct {
	Renditions []KeptRendition
	Artifacts  []KeptArtifact
	// Parties are the payers of accounts. A process that does not know the field drops it.
	Parties []pm.Party
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
	if o.opt.Live != nil {
		out.Parties = o.opt.Live.Parties()
	}
	return out
}

// RestoreHandover stores another process's results, as far as the memory limits allow, and what it knew of payers.
func (o *Orchestrator) RestoreHandover(e HandoverState) {
	if o.opt.Live != nil {
		o.opt.Live.RestoreParties(e.Parties)
	}
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
