package fault

// Rewards and rounds.
const (
	// RewardFailing: the reward of this round could not be called yet.
	RewardFailing Code = "RewardFailing"
	// RewardMissed: a round ended without its reward.
	RewardMissed Code = "RewardMissed"
	// RewardNotAllowed: the account may not call reward for the orchestrator.
	RewardNotAllowed Code = "RewardNotAllowed"
	// StepInFlight: the step's transaction is on its way already.
	StepInFlight Code = "StepInFlight"
	// RoundInitFailing: the round could not be initialised.
	RoundInitFailing Code = "RoundInitFailing"
)
