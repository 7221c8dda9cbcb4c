package protocol

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// ActivationPlanner makes and follows plans for the Actor's account.
type ActivationPlanner struct {
	Rounds Rounds
	Stakes Stakes
	Funds  Funds
	// Settings may be nil: then no rank is predicted.
	Settings Settings
	Actor    Actor
}

// activationState is what a plan is made from, read again for each.
type activationState struct {
	round    RoundState
	self     Orchestrator
	own      Delegator
	balances Balances
}

func (p ActivationPlanner) read(ctx context.Context) (s activationState, err error) {
	account := p.Actor.Account()
	if account.IsZero() {
		return s, fault.New(fault.AccountMissing, "plan", "")
	}
	if s.round, err = p.Rounds.Round(ctx); err != nil {
		return s, err
	}
	if s.self, err = p.Stakes.Orchestrator(ctx, account); err != nil {
		return s, err
	}
	if s.own, err = p.Stakes.Delegator(ctx, account); err != nil {
		return s, err
	}
	s.balances, err = p.Funds.Balances(ctx, account)
	return s, err
}

// Plan says what is left to do. What prevents the next step is in the
// plan; the error means that the chain could not be read.
func (p ActivationPlanner) Plan(ctx context.Context, w ActivationWish) (ActivationPlan, error) {
	s, err := p.read(ctx)
	if err != nil {
		return ActivationPlan{}, err
	}
	plan := ActivationPlan{}
	fromLock, err := p.addLock(ctx, &plan, w, s)
	if err != nil {
		return ActivationPlan{}, err
	}
	plan.addStake(s, w, fromLock)
	plan.addCommission(s, w)
	plan.addServiceURI(s, w)
	if !plan.Done() {
		plan.Blocked = blockedBy(s, plan)
		p.price(ctx, &plan)
		plan.compare(s)
	}
	return plan, p.predictRank(ctx, s, w, fromLock, &plan)
}

// ExecutedStep is one step that was taken.
type ExecutedStep struct {
	Step        ActivationStep
	Transaction Transaction
}

// Step takes the next open step and says what is left. A plan without open steps
// is answered with a zero Executed.
func (p ActivationPlanner) Step(ctx context.Context, w ActivationWish) (ExecutedStep, ActivationPlan, error) {
	plan, err := p.Plan(ctx, w)
	if err != nil {
		return ExecutedStep{}, plan, err
	}
	step, open := plan.Next()
	if !open {
		return ExecutedStep{}, plan, nil
	}
	if plan.Blocked != nil {
		return ExecutedStep{Step: step}, plan, plan.Blocked
	}
	if err := p.inFlight(step); err != nil {
		return ExecutedStep{Step: step}, plan, err
	}
	tx, err := p.Actor.Send(ctx, step.action, SendOptions{})
	done := ExecutedStep{Step: step, Transaction: tx}
	if err != nil {
		return done, plan, fmt.Errorf("%s: %w", step.About, err)
	}
	plan, err = p.Plan(ctx, w)
	return done, plan, err
}

// inFlight is the fault StepInFlight while a transaction of the same kind is on
// its way: the chain says nothing of it yet, and a second one could take the stake
// twice.
func (p ActivationPlanner) inFlight(step ActivationStep) error {
	for _, tx := range p.Actor.Transactions() {
		if tx.State == TxSubmitted && tx.Verb == step.action.Verb() {
			return fault.New(fault.StepInFlight, step.About, "transaction "+tx.Hash.String())
		}
	}
	return nil
}

// errStuck: a step was mined and the chain still says that it is open.
var errStuck = errors.New("the transaction was mined, and the chain does not show its effect yet")

// Run takes all open steps.
func (p ActivationPlanner) Run(ctx context.Context, w ActivationWish) ([]ExecutedStep, ActivationPlan, error) {
	var all []ExecutedStep
	for {
		done, plan, err := p.Step(ctx, w)
		if !done.Transaction.Hash.IsZero() {
			all = append(all, done)
		}
		next, open := plan.Next()
		switch {
		case err != nil:
			return all, plan, err
		case !open:
			return all, plan, nil
		case next.About == done.Step.About:
			return all, plan, fmt.Errorf("%s: %w", next.About, errStuck)
		}
	}
}

// addLock adds the step that bonds an unbonding lock again; it returns the stake
// that this adds.
func (p ActivationPlanner) addLock(ctx context.Context, plan *ActivationPlan, w ActivationWish,
	s activationState) (core.LPT, error) {
	if w.Lock == nil {
		return core.LPT{}, nil
	}
	locks, err := p.Stakes.UnbondingLocks(ctx, p.Actor.Account())
	if err != nil {
		return core.LPT{}, err
	}
	for _, l := range locks {
		if l.ID != *w.Lock {
			continue
		}
		var a Action = Rebond{Lock: l.ID}
		if s.own.Status == Unbonded {
			a = RebondFromUnbonded{To: p.Actor.Account(), Lock: l.ID}
		}
		about := fmt.Sprintf("bond the %s LPT of unbonding lock %d again", l.Amount.Tokens(), l.ID)
		plan.Steps = append(plan.Steps, ActivationStep{Name: a.Verb(), About: about, action: a})
		return l.Amount, nil
	}
	if s.own.NextLockID <= *w.Lock {
		return core.LPT{}, fault.New(fault.UnbondingLockUnknown, "plan", fmt.Sprintf("lock %d", *w.Lock))
	}
	// Used up by an earlier run of the same plan.
	plan.Steps = append(plan.Steps, ActivationStep{Name: Rebond{}.Verb(),
		About: fmt.Sprintf("bond unbonding lock %d again", *w.Lock), Done: true})
	return core.LPT{}, nil
}
