package liverunner

import (
	"context"
	"time"
)

// endTime is kept of a drain's time for what ends with the sessions: their clients' last answers.
const endTime = 2 * time.Second

// Drain refuses new sessions and waits until there is none. Those that are left shortly before ctx's
// deadline are ended: live sessions may last for hours.
func (s *Server) Drain(ctx context.Context) error {
	s.registry.Pause()
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if at, ok := ctx.Deadline(); ok {
		waiting, cancel = context.WithTimeout(ctx, time.Until(at)-min(endTime, time.Until(at)/2))
	}
	defer cancel()
	if s.registry.AwaitIdle(waiting) == nil {
		return nil
	}
	s.Refuse()
	return ctx.Err()
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
