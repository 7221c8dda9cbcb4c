package adminapi

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// OrchestratorState is an orchestrator's state in the active set.
type OrchestratorState string

// The states. A waiting one is in the pool and active from ActivationRound on; a
// leaving one is active until DeactivationRound.
const (
	StateUnregistered OrchestratorState = "unregistered"
	StateWaiting      OrchestratorState = "waiting"
	StateActive       OrchestratorState = "active"
	StateLeaving      OrchestratorState = "leaving"
	StateInactive     OrchestratorState = "inactive"
)

// The values of Orchestrator.Status.
const (
	Registered    = "Registered"
	NotRegistered = "Not Registered"
)

// Orchestrator is one orchestrator's record.
type Orchestrator struct {
	Address         core.Address    `json:"address"`
	ServiceURI      string          `json:"serviceURI"`
	LastRewardRound protocol.Round  `json:"lastRewardRound"`
	RewardCut       core.PerMillion `json:"rewardCut"`
	// FeeCut is the orchestrator's part of the fees, FeeShare the delegators'.
	FeeCut         core.PerMillion `json:"feeCut"`
	FeeShare       core.PerMillion `json:"feeShare"`
	DelegatedStake core.LPT        `json:"delegatedStake"`
	// ActivationRound and DeactivationRound are null for never.
	ActivationRound            *protocol.Round   `json:"activationRound"`
	DeactivationRound          *protocol.Round   `json:"deactivationRound"`
	LastActiveStakeUpdateRound protocol.Round    `json:"lastActiveStakeUpdateRound"`
	Active                     bool              `json:"active"`
	Registered                 bool              `json:"registered"`
	Status                     string            `json:"status"`
	State                      OrchestratorState `json:"state"`
	// RewardCaller may call reward for it; null for none.
	RewardCaller *core.Address `json:"rewardCaller"`
	// PricePerPixel is what this node advertises or knows, in wei as a number or a
	// fraction "1/3"; empty where it is not known.
	PricePerPixel string `json:"pricePerPixel"`
}

// Orchestrators is the pool, highest stake first.
type Orchestrators struct {
	Orchestrators []Orchestrator `json:"orchestrators"`
}

// Earnings are the stake and the commission that counted in a round. The factors
// are decimal strings on the scale 10^27 = 1.
type Earnings struct {
	Address      core.Address    `json:"address"`
	Round        protocol.Round  `json:"round"`
	TotalStake   core.LPT        `json:"totalStake"`
	RewardCut    core.PerMillion `json:"rewardCut"`
	FeeShare     core.PerMillion `json:"feeShare"`
	RewardFactor string          `json:"rewardFactor"`
	FeeFactor    string          `json:"feeFactor"`
}

// Delegator is an account's own stake. Bonded and Fees are as of LastClaimRound,
// PendingStake and PendingFees as of now.
type Delegator struct {
	Address      core.Address `json:"address"`
	Bonded       core.LPT     `json:"bonded"`
	Fees         core.Wei     `json:"fees"`
	PendingStake core.LPT     `json:"pendingStake"`
	PendingFees  core.Wei     `json:"pendingFees"`
	// Delegate is null for an account that never bonded.
	Delegate        *core.Address   `json:"delegate"`
	DelegatedAmount core.LPT        `json:"delegatedAmount"`
	StartRound      protocol.Round  `json:"startRound"`
	LastClaimRound  protocol.Round  `json:"lastClaimRound"`
	NextLockID      protocol.LockID `json:"nextLockId"`
	// Status is Pending, Bonded or Unbonded.
	Status string `json:"status"`
}

// UnbondingLocks are the locks that still hold stake.
type UnbondingLocks struct {
	Locks []UnbondingLock `json:"locks"`
}

// UnbondingLock is stake on its way out.
type UnbondingLock struct {
	ID            protocol.LockID `json:"id"`
	Amount        core.LPT        `json:"amount"`
	WithdrawRound protocol.Round  `json:"withdrawRound"`
	// Withdrawable: the round has come and is initialized.
	Withdrawable bool `json:"withdrawable"`
}
