package chain

import "github.com/tuttinode/tutti/core/protocol"

// roundAt is the round of a layer-1 height at or after the one that r was read at. The
// contract computes it so too; only what somebody sends can make it otherwise, and
// that leaves a log.
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

// in is an orchestrator's record in a round: being active follows from the two
// rounds that frame it.
func in(o protocol.Orchestrator, round protocol.Round) protocol.Orchestrator {
	o.Active = o.ActivationRound <= round && round < o.DeactivationRound
	return o
}
