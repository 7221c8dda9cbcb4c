// Package orchestratorstatus sums up the public status of an orchestrator on the chain: the
// round, its state in the active set, its stake and its rewards. All of it is
// public on the chain; it contains nothing of the operator's own.
//
// It only turns what the node knows at the moment into one record, which /status
// and the gateway's page show; it reads nothing itself.
package orchestratorstatus

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/reward"
)

// State is an orchestrator's state in the active set.
type State string

// The states. A Waiting one is in the pool and becomes active; a Leaving one is
// active until the round ends.
const (
	Unregistered State = "unregistered"
	Waiting      State = "waiting"
	Active       State = "active"
	Leaving      State = "leaving"
	Inactive     State = "inactive"
)

// StateOf derives the state from an orchestrator's record: a pool member has no
// deactivation round.
func StateOf(o protocol.Orchestrator) State {
	inPool := o.DeactivationRound == protocol.Never
	switch {
	case o.Active && inPool:
		return Active
	case o.Active:
		return Leaving
	case !o.Registered:
		return Unregistered
	case inPool:
		return Waiting
	}
	return Inactive
}

// Status is the public status. Amounts are in smallest units, cuts per million.
type Status struct {
	// Stale: the endpoints are behind, and this is the last known state.
	Stale   bool         `json:"stale"`
	Address core.Address `json:"address"`
	Round   Round        `json:"round"`
	State   State        `json:"state"`
	// ActiveFrom is the round in which a Waiting orchestrator becomes active.
	ActiveFrom  protocol.Round  `json:"active_from,omitempty"`
	Stake       core.LPT        `json:"stake"`
	RewardCut   core.PerMillion `json:"reward_cut"`
	FeeCut      core.PerMillion `json:"fee_cut"`
	Members     int             `json:"active_set"`
	RegistryURI string          `json:"registered_service_uri"`
	// Reward is the state of this round's reward call; Why is what it waits for.
	Reward          reward.State   `json:"reward"`
	Why             string         `json:"reward_reason,omitempty"`
	LastRewardRound protocol.Round `json:"last_reward_round"`
	Rewards         []Reward       `json:"rewards"`
}

// Round is the present round and how far it is, in layer-1 blocks.
type Round struct {
	Number      protocol.Round   `json:"number"`
	Initialized bool             `json:"initialized"`
	Locked      bool             `json:"locked"`
	Block       protocol.L1Block `json:"block"`
	Start       protocol.L1Block `json:"start"`
	End         protocol.L1Block `json:"end"`
}

// Reward is the result of a round's reward call.
type Reward struct {
	Round   protocol.Round `json:"round"`
	Outcome reward.Outcome `json:"outcome"`
	Amount  core.LPT       `json:"amount"`
	Time    time.Time      `json:"time"`
}

// reason is what the round's call waits for. A failure is in the words of the table of faults: its
// details name the operator's endpoints, quote their answers, and are for the operator alone.
func reason(r reward.Status) string {
	if r.Code == "" {
		return r.Reason
	}
	row, _ := fault.Lookup(r.Code)
	return row.Cause
}

// maxRewards limits Status.Rewards.
const maxRewards = 10

// New makes the status. The second value is false until the chain was read.
func New(v protocol.View, r reward.Status) (Status, bool) {
	if !v.Known {
		return Status{}, false
	}
	s := Status{
		Stale: v.Stale, Address: v.Self.Address, State: StateOf(v.Self),
		Round: Round{
			Number: v.Round.Number, Initialized: v.Round.Initialized, Locked: v.Round.Locked,
			Block: v.Head.L1, Start: v.Round.Start, End: v.Round.End(),
		},
		Stake: v.Self.DelegatedStake, RewardCut: v.Self.RewardCut, FeeCut: v.Self.FeeShare.Rest(),
		Members: v.PoolSize, RegistryURI: v.Self.ServiceURI,
		Reward: r.State, Why: reason(r), LastRewardRound: v.Self.LastRewardRound, Rewards: []Reward{},
	}
	if s.State == Waiting {
		s.ActiveFrom = v.Self.ActivationRound
	}
	for _, p := range r.History[:min(len(r.History), maxRewards)] {
		s.Rewards = append(s.Rewards, Reward{Round: p.Round, Outcome: p.Outcome, Amount: p.Amount, Time: p.Time.UTC()})
	}
	return s, true
}
