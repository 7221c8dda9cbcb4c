package liverunner

import "github.com/tuttinode/tutti/core/lifecycle"

// Work is what a drain waits for: live sessions may last for hours.
func (s *Server) Work() *lifecycle.Work {
	return &lifecycle.Work{
		Kind: "live sessions", AwaitIdle: s.registry.AwaitIdle, End: s.Refuse,
		Count: func() int { sessions, _ := s.Use(); return sessions },
	}
}

// Pause refuses new sessions; Resume takes new ones again.
func (s *Server) Pause() { s.registry.Pause() }

// Resume undoes Pause and Refuse.
func (s *Server) Resume() { s.registry.Resume() }

// Refuse refuses new sessions and ends those that there are.
func (s *Server) Refuse() {
	s.registry.Pause()
	if n := s.registry.EndSessions(); n > 0 {
		s.o.Log.Warn("live sessions are ended: the drain's time is over", "sessions", n)
	}
}

// Use is how many sessions there are, and how many slots the runners have that serve.
func (s *Server) Use() (sessions, slots int) { return s.registry.Use() }

// Draining reports whether all new sessions are refused.
func (s *Server) Draining() bool { return s.registry.Paused() }
