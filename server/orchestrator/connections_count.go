package orchestrator

// Connections is how many connections are open to the public listener, and how many may
// be.
func (s *Server) Connections() (open, most int) {
	s.conns.mu.Lock()
	defer s.conns.mu.Unlock()
	return len(s.conns.open), int(s.conns.max.Load())
}
