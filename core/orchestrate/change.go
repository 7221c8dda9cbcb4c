package orchestrate

// SetResultBytes changes the bound of the renditions kept for download, while the node
// runs. What is kept above a lowered bound goes as new ones come.
func (o *Orchestrator) SetResultBytes(n int64) { o.results.setMax(n) }

// setMax changes the bound.
func (s *shelf[K, V]) setMax(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.max = n
}
