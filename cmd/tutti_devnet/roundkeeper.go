package main

import (
	"context"
	"time"
)

// lookTime is how often KeepRounds looks whether a round has begun.
const lookTime = 100 * time.Millisecond

// KeepRounds initializes every round that begins, until ctx ends. While the
// protocol is paused it waits.
func (s *Deployment) KeepRounds(ctx context.Context) error {
	tick := time.NewTicker(lookTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.keepRound(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

func (s *Deployment) keepRound(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if paused, err := s.truth(ctx, "Controller", "paused"); err != nil || paused {
		return err
	}
	done, err := s.truth(ctx, roundsManager, "currentRoundInitialized")
	if err != nil || done {
		return err
	}
	return s.initialize(ctx)
}
