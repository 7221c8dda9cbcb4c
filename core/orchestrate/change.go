package orchestrate

// SetResultBytes changes the bound of the renditions kept for download, while the node
// runs. What is kept above a lowered bound goes as new ones come.
func (o *Orchestrator) SetResultBytes(n int64) { o.results.setMax(n) }

// ResultBytes is the bound of the renditions kept for download.
func (o *Orchestrator) ResultBytes() int64 { return o.results.bound() }

// ArtifactBytes is the bound of what AI jobs made and is kept for download.
func (o *Orchestrator) ArtifactBytes() int64 { return o.artifacts.bound() }

func (s *shelf[K, V]) bound() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.max
}

// setMax changes the bound.
func (s *shelf[K, V]) setMax(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.max = n
}
