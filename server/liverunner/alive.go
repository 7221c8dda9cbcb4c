package liverunner

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

const (
	// aliveInterval is how often runners with sessions are looked at: one that was killed loses its
	// sessions within a second.
	aliveInterval = 500 * time.Millisecond
	aliveTimeout  = 400 * time.Millisecond
)

var errRefused = errors.New("it was killed or has stopped: connections are refused")

// checkAlive looks whether runners with sessions still listen. It opens a connection and sends nothing. One
// that refuses is gone; of others the checks of health and the heartbeats decide.
func (s *Server) checkAlive(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	slots := make(chan struct{}, checksAtOnce)
	for _, r := range s.registry.Runners() {
		if r.Used == 0 || !r.Serves {
			continue
		}
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if s.refuses(ctx, r.Spec.URL) {
				s.lose(ctx, r)
			}
		})
	}
}

// lose ends the sessions of a runner that refuses connections.
func (s *Server) lose(ctx context.Context, r liverunner.Runner) {
	if !r.Dynamic {
		s.check(ctx, r)
		return
	}
	s.registry.Unready(r.ID)
	s.report(r, false, errRefused)
}

func (s *Server) refuses(ctx context.Context, at *url.URL) bool {
	port := at.Port()
	if port == "" {
		port = at.Scheme // the system knows the ports of http and https
	}
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	conn, err := s.dial(ctx, "tcp", net.JoinHostPort(at.Hostname(), port))
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Lose ends the sessions of a static runner whose program has ended, by its label.
func (s *Server) Lose(label string, why error) {
	if r, ok := s.registry.Named(label); ok && !r.Dynamic {
		s.registry.Unready(r.ID)
		s.report(r, false, why)
	}
}

// Serves reports whether a runner takes requests, by its label.
func (s *Server) Serves(label string) bool {
	r, ok := s.registry.Named(label)
	return ok && r.Serves
}
