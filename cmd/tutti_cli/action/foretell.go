package action

import (
	"context"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// foretell works out what comes of it: as the plan says, or where the stake is no
// part of the plan, as the chain says.
func (s *steps) foretell(ctx context.Context) error {
	if s.path != adminapi.PathActivate {
		return nil
	}
	s.result.Rank, s.result.ActiveFrom = s.result.Plan.Rank, s.result.Plan.ActiveFrom
	if s.result.Rank == nil {
		if err := s.findRank(ctx); err != nil {
			return err
		}
	}
	if s.result.ActiveFrom == nil {
		return nil
	}
	chain, err := readChain(ctx, s.c)
	if err != nil {
		return err
	}
	about, err := s.c.About(ctx)
	if err != nil {
		return err
	}
	blocks, from := protocol.L1Block(0), *s.result.ActiveFrom
	if from > chain.Round.Number {
		blocks = until(chain.Head.L1, chain.Round.End) + protocol.L1Block(from-chain.Round.Number-1)*chain.Round.Length
	}
	s.result.ActiveInBlocks, s.result.ActiveInMinutes = &blocks, minutes(about, blocks)
	return nil
}

// findRank reads the orchestrator's rank in the pool.
func (s *steps) findRank(ctx context.Context) error {
	var own adminapi.Orchestrator
	var pool adminapi.Orchestrators
	if err := s.c.Node.Get(ctx, adminapi.PathOrchestrator, &own); err != nil {
		return err
	}
	if err := s.c.Node.Get(ctx, adminapi.PathOrchestrators, &pool); err != nil {
		return err
	}
	for i, o := range pool.Orchestrators {
		if o.Address == own.Address && own.ActivationRound != nil {
			rank := i + 1
			s.result.Rank, s.result.ActiveFrom = &rank, own.ActivationRound
		}
	}
	return nil
}
