package chain

import "github.com/tuttinode/tutti/core/protocol"

// roundAt returns the round of a layer-1 height at or after the one of r. The contract computes it the same way;
// only a transaction can change it, and that leaves a log.
func roundAt(r protocol.RoundState, height protocol.L1Block) protocol.RoundState {
	if r.Length == 0 {
		return r
	}
	if height >= r.End() {
		passed := (height - r.Start) / r.Length
		r.Number += protocol.Round(passed)
		r.Start += passed * r.Length
	}
	r.Initialized = r.LastInitialized == r.Number
	r.Locked = height >= r.LocksAt()
	return r
}

// activeIn returns an orchestrator's record in a round: it is active between its activation and its deactivation
// round.
func activeIn(o protocol.Orchestrator, round protocol.Round) protocol.Orchestrator {
	o.Active = o.ActivationRound <= round && round < o.DeactivationRound
	return o
}
