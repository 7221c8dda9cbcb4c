package admin

// Patterns are the patterns of all routes.
func (s *Server) Patterns() []string { return s.routes().patterns }
