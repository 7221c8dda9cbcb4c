package protocol

import (
	"github.com/tuttinode/tutti/core"
)

// ActivationWish is what the account is to be. Nil and empty parts stay as they are.
type ActivationWish struct {
	// RewardCut and FeeShare go together; FeeShare is the delegators' share.
	RewardCut, FeeShare *core.PerMillion
	ServiceURI          string
	// Stake is the orchestrator's own bond to reach, what is bonded already included.
	Stake core.LPT
	// Lock is an unbonding lock whose stake is bonded again first.
	Lock *LockID
}

// ActivationStep is one transaction on the way.
type ActivationStep struct {
	// Name is the action's verb.
	Name string
	// About says in words what it does and why.
	About string
	// Done: the chain has that state already, and nothing is sent.
	Done bool
	// Estimate is the cost. It is exact for the next open step and typical for those
	// after it, which cannot be tried before the earlier ones happened.
	Estimate Estimate
	Typical  bool

	action Action
}

// ActivationPlan is what is left to do.
type ActivationPlan struct {
	Steps []ActivationStep
	// Fee is the sum over the open steps, Token the stake that they take from the
	// balance.
	Fee   core.Wei
	Token core.LPT
	// Warnings are what the operator should know before paying.
	Warnings []string
	// Blocked is the fault that keeps the next step from happening; nil if nothing
	// does.
	Blocked error
	// Active is the first round in which the orchestrator takes part once all is
	// done; 0 when its stake does not suffice for the active set.
	Active Round
	// Rank is its predicted rank in the pool, from 1; 0 if it has none.
	Rank int
}

// Done reports whether nothing is left to do.
func (p ActivationPlan) Done() bool { return p.next() < 0 }

// Next returns the open step whose turn it is.
func (p ActivationPlan) Next() (ActivationStep, bool) {
	if i := p.next(); i >= 0 {
		return p.Steps[i], true
	}
	return ActivationStep{}, false
}

func (p ActivationPlan) next() int {
	for i, s := range p.Steps {
		if !s.Done {
			return i
		}
	}
	return -1
}
