package adminapi

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Activation is what an orchestrator wants to be. What is absent stays as it is.
type Activation struct {
	RewardCut  *core.PerMillion `json:"rewardCut,omitempty"`
	FeeCut     *core.PerMillion `json:"feeCut,omitempty"`
	ServiceURI *string          `json:"serviceURI,omitempty"`
	// Stake is the orchestrator's own bond to reach.
	Stake *core.LPT `json:"stake,omitempty"`
	// UnbondingLock is a lock to bond again instead of fresh tokens.
	UnbondingLock *protocol.LockID `json:"unbondingLock,omitempty"`
	Pricing
}

// Config is what can be changed of a registered orchestrator. What is absent
// stays.
type Config struct {
	RewardCut  *core.PerMillion `json:"rewardCut,omitempty"`
	FeeCut     *core.PerMillion `json:"feeCut,omitempty"`
	ServiceURI *string          `json:"serviceURI,omitempty"`
	Pricing
}

// Pricing is a price: PricePerUnit of Currency (wei where absent) for PixelsPerUnit
// pixels (1 where absent). It is local and costs no gas.
type Pricing struct {
	PricePerUnit  *string      `json:"pricePerUnit,omitempty"`
	PixelsPerUnit *core.Pixels `json:"pixelsPerUnit,omitempty"`
	Currency      *string      `json:"currency,omitempty"`
}

// Plan is the way from what the chain says to what was asked for.
type Plan struct {
	Steps []Step `json:"steps"`
	// TotalFee sums the estimates of the open steps.
	TotalFee core.Wei `json:"totalFee"`
	// Token is the stake that the open steps take from the balance.
	Token    core.LPT `json:"token"`
	Warnings []string `json:"warnings"`
	// ActiveFrom is the first round in which the orchestrator takes part once all is
	// done, Rank its place in the pool then, from 1. Null where neither is foretold:
	// the stake does not suffice, or is not part of the plan.
	ActiveFrom *protocol.Round `json:"activeFrom"`
	Rank       *int            `json:"rank"`
}

// Step is one step of a plan, most often one transaction.
type Step struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Done: the chain has that state already.
	Done bool `json:"done"`
	// Estimate is absent where it is done or costs nothing. A Typical one is given
	// for what cannot be tried before the earlier steps happened.
	Estimate *Estimate `json:"estimate,omitempty"`
	Typical  bool      `json:"typical,omitempty"`
	// Error says why the step cannot be taken now.
	Error *Error `json:"error,omitempty"`
}

// PlanResult answers activate and config: what was executed, if anything, and the
// plan as it stands afterwards.
type PlanResult struct {
	// Executed is the last step that was done, ExecutedAll all of them in order.
	// Local are the names of what was changed without a transaction: "set-price". What
	// was so already is not among them.
	Executed    *Executed  `json:"executed,omitempty"`
	ExecutedAll []Executed `json:"executedAll,omitempty"`
	Local       []string   `json:"local,omitempty"`
	Plan        Plan       `json:"plan"`
	// Error says why the rest of the plan was not done; the answer has its status,
	// and what was executed stays.
	Error *Error `json:"error,omitempty"`
}

// Executed is a step that was done.
type Executed struct {
	Step        string      `json:"step"`
	About       string      `json:"about"`
	Transaction Transaction `json:"transaction"`
}
