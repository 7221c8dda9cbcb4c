package adminapi

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// PublicState is an orchestrator's state in the active set.
type PublicState string

// The states. A Waiting one is in the pool and becomes active; a Leaving one is
// active until the round ends.
const (
	PublicUnregistered PublicState = "unregistered"
	PublicWaiting      PublicState = "waiting"
	PublicActive       PublicState = "active"
	PublicLeaving      PublicState = "leaving"
	PublicInactive     PublicState = "inactive"
)

// PublicStateOf derives the state from an orchestrator's record: a pool member has no
// deactivation round.
func PublicStateOf(o protocol.Orchestrator) PublicState {
	inPool := o.DeactivationRound == protocol.Never
	switch {
	case o.Active && inPool:
		return PublicActive
	case o.Active:
		return PublicLeaving
	case !o.Registered:
		return PublicUnregistered
	case inPool:
		return PublicWaiting
	}
	return PublicInactive
}

// PublicStatus is the public status. Amounts are in smallest units, cuts per million.
type PublicStatus struct {
	// Stale: the endpoints are behind, and this is the last known state.
	Stale   bool         `json:"stale"`
	Address core.Address `json:"address"`
	Round   PublicRound  `json:"round"`
	State   PublicState  `json:"state"`
	// ActiveFrom is the round in which a Waiting orchestrator becomes active.
	ActiveFrom  protocol.Round  `json:"active_from,omitempty"`
	Stake       core.LPT        `json:"stake"`
	RewardCut   core.PerMillion `json:"reward_cut"`
	FeeCut      core.PerMillion `json:"fee_cut"`
	Members     int             `json:"active_set"`
	RegistryURI string          `json:"registered_service_uri"`
	// Reward is the state of this round's reward call; Why is what it waits for.
	Reward          protocol.RewardState `json:"reward"`
	Why             string               `json:"reward_reason,omitempty"`
	LastRewardRound protocol.Round       `json:"last_reward_round"`
	Rewards         []PublicReward       `json:"rewards"`
}

// PublicRound is the present round and how far it is, in layer-1 blocks.
type PublicRound struct {
	Number      protocol.Round   `json:"number"`
	Initialized bool             `json:"initialized"`
	Locked      bool             `json:"locked"`
	Block       protocol.L1Block `json:"block"`
	Start       protocol.L1Block `json:"start"`
	End         protocol.L1Block `json:"end"`
}

// PublicReward is the result of a round's reward call.
type PublicReward struct {
	Round   protocol.Round         `json:"round"`
	Outcome protocol.RewardOutcome `json:"outcome"`
	Amount  core.LPT               `json:"amount"`
	Time    time.Time              `json:"time"`
}

// reason returns what the round's call waits for. A failure is in the words of the table of faults: its
// details name the operator's endpoints, quote their answers, and are for the operator alone.
func reason(r protocol.RewardStatus) string {
	if r.Code == "" {
		return r.Reason
	}
	row, _ := fault.Lookup(r.Code)
	return row.Cause
}

// maxRewards limits Status.Rewards.
const maxRewards = 10

// NewPublicStatus makes the status. The second value is false until the chain was read.
func NewPublicStatus(v protocol.View, r protocol.RewardStatus) (PublicStatus, bool) {
	if !v.Known {
		return PublicStatus{}, false
	}
	s := PublicStatus{
		Stale: v.Stale, Address: v.Self.Address, State: PublicStateOf(v.Self),
		Round: PublicRound{
			Number: v.Round.Number, Initialized: v.Round.Initialized, Locked: v.Round.Locked,
			Block: v.Head.L1, Start: v.Round.Start, End: v.Round.End(),
		},
		Stake: v.Self.DelegatedStake, RewardCut: v.Self.RewardCut, FeeCut: v.Self.FeeShare.Rest(),
		Members: v.PoolSize, RegistryURI: v.Self.ServiceURI,
		Reward: r.State, Why: reason(r), LastRewardRound: v.Self.LastRewardRound, Rewards: []PublicReward{},
	}
	if s.State == PublicWaiting {
		s.ActiveFrom = v.Self.ActivationRound
	}
	for _, p := range r.History[:min(len(r.History), maxRewards)] {
		s.Rewards = append(s.Rewards, PublicReward{Round: p.Round, Outcome: p.Outcome, Amount: p.Amount, Time: p.Time.UTC()})
	}
	return s, true
}
