package main

import (
	"context"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/control"
)

const roundsManager = "RoundsManager"

// Round returns the protocol's clock at the newest block.
func (s *Deployment) Round(ctx context.Context) (control.Round, error) {
	head := s.chain.Head()
	out := control.Round{L2Block: protocol.L2Block(head.Number.Uint64()), L1Block: s.chain.L1Head()}
	numbers := []struct {
		method string
		to     *uint64
	}{
		{"currentRound", (*uint64)(&out.Round)},
		{"lastInitializedRound", (*uint64)(&out.LastInitialized)},
		{"currentRoundStartBlock", (*uint64)(&out.StartL1)},
		{"roundLength", &out.Length},
	}
	var err error
	for _, n := range numbers {
		if *n.to, err = s.number(ctx, roundsManager, n.method); err != nil {
			return out, err
		}
	}
	if out.Initialized, err = s.truth(ctx, roundsManager, "currentRoundInitialized"); err != nil {
		return out, err
	}
	out.Locked, err = s.truth(ctx, roundsManager, "currentRoundLocked")
	return out, err
}

// NextRound moves the L1 clock to the beginning of the next round and initializes
// it, or leaves that to others.
func (s *Deployment) NextRound(ctx context.Context, initialize bool) (control.Round, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.nextRound(ctx, initialize); err != nil {
		return control.Round{}, err
	}
	return s.Round(ctx)
}

func (s *Deployment) nextRound(ctx context.Context, initialize bool) error {
	now, err := s.Round(ctx)
	if err != nil {
		return err
	}
	if _, err := s.chain.AdvanceL1To(now.StartL1 + protocol.L1Block(now.Length)); err != nil || !initialize {
		return err
	}
	return s.initialize(ctx)
}

// initialize initializes the current round unless it is initialized already.
func (s *Deployment) initialize(ctx context.Context) error {
	err := s.owner(ctx, roundsManager, "initializeRound")
	if err == nil {
		return nil
	}
	if done, readErr := s.truth(ctx, roundsManager, "currentRoundInitialized"); readErr == nil && done {
		return nil
	}
	return err
}

// open makes the current round one in which orchestrators can register.
func (s *Deployment) open(ctx context.Context) error {
	now, err := s.Round(ctx)
	switch {
	case err != nil:
		return err
	case now.Locked:
		return s.nextRound(ctx, true)
	case !now.Initialized:
		return s.initialize(ctx)
	}
	return nil
}
