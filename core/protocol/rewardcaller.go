package protocol

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// RewardCaller is the reward service, a lifecycle.Component.
type RewardCaller struct {
	opt RewardOptions
	// wake has capacity 1: it makes Run check the round again.
	wake chan struct{}
	// classified is the round in which the one before it was classified; warned: the account's
	// missing right was logged. Both are Run's alone.
	classified Round
	warned     bool
	// lost is a call that was final and that the chain does not show. Only Run uses it.
	lost lostCall

	mu     sync.Mutex
	status RewardStatus // guarded by mu
	// unsaved are settled rounds that Memory does not have yet; guarded by mu.
	unsaved map[Round]PastReward
}

// NewRewardCaller makes the service. It does nothing until Run.
func NewRewardCaller(opt RewardOptions) *RewardCaller {
	opt.defaults()
	c := &RewardCaller{opt: opt, wake: make(chan struct{}, 1), unsaved: make(map[Round]PastReward)}
	c.status = RewardStatus{Mode: opt.Mode, State: RewardIdle}
	if opt.Mode == RewardOff {
		c.status.State = RewardStateOff
	}
	return c
}

// Name returns the component's name.
func (c *RewardCaller) Name() string { return "reward" }

// Run calls reward whenever it is due, until ctx ends.
func (c *RewardCaller) Run(ctx context.Context, ready func()) error {
	c.recall(ctx)
	stop := c.opt.Events.Subscribe(c.onEvent)
	defer stop()
	ready()
	if c.opt.Mode == RewardOff {
		<-ctx.Done()
		return ctx.Err()
	}
	pause := c.opt.Retry
	for {
		wait := c.opt.Check
		if err := c.checkRound(ctx); err != nil {
			wait, pause = pause, min(2*pause, c.opt.MaxRetry)
			c.update(func(s *RewardStatus) { s.NextTry = c.opt.Now().Add(wait) })
		} else {
			pause = c.opt.Retry
		}
		c.remember(ctx)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-c.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// onEvent handles an event of the chain. Only some can make a reward due.
func (c *RewardCaller) onEvent(e Event) {
	switch e := e.(type) {
	case RewardSeen:
		c.settle(PastReward{Round: e.Round, Outcome: RewardCalled, Amount: e.Amount, Tx: e.Tx, Time: c.opt.Now()})
	case RoundSeen, SelfSeen, Reorganized:
	case StaleSeen:
		if e.Stale {
			return
		}
	default:
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// checkRound reads the round and calls the reward if it is due. An error means that it must be
// tried again soon.
func (c *RewardCaller) checkRound(ctx context.Context) error {
	round, err := c.opt.Rounds.Round(ctx)
	if err != nil {
		return c.failed(ctx, round, fmt.Errorf("read the round: %w", err))
	}
	self, err := c.opt.Stakes.Orchestrator(ctx, c.opt.Orchestrator)
	if err != nil {
		return c.failed(ctx, round, fmt.Errorf("read the orchestrator's record: %w", err))
	}
	c.begin(round, self)
	if why := c.notDue(round, self); why != nil {
		c.waiting(why)
		return nil
	}
	if self.LastRewardRound >= round.Number {
		c.done(round.Number, TxHash{})
		return nil
	}
	return c.call(ctx, round)
}

// begin notes a new round, and whether the one before it was missed. That is
// classified from the chain alone: whether this process ran or saw it does not matter.
func (c *RewardCaller) begin(round RoundState, self Orchestrator) {
	c.mu.Lock()
	before := c.status
	c.status.Round, c.status.LastRewardRound = round.Number, self.LastRewardRound
	c.status.NextTry = time.Time{}
	if before.Round != round.Number {
		c.status.State, c.status.Tx, c.status.Code, c.status.Reason = RewardIdle, TxHash{}, "", ""
	}
	c.mu.Unlock()
	last := round.Number - 1
	if c.classified == round.Number {
		return
	}
	c.classified = round.Number
	if !rewardMissed(round, self) {
		c.opt.Board.Clear(health.Key{Code: fault.RewardMissed})
		return
	}
	why := before.Reason
	if before.Round != last || why == "" {
		why = "this node did not run, or had no endpoint"
	}
	c.settle(PastReward{Round: last, Outcome: RewardMissed, Time: c.opt.Now(), Reason: why})
	c.opt.Board.Set(health.Key{Code: fault.RewardMissed}, fmt.Sprintf("round %d ended without its reward call: %s", last,
		why))
}

// rewardMissed reports whether the round before could have been rewarded and was not.
func rewardMissed(round RoundState, self Orchestrator) bool {
	last := round.Number - 1
	opened := round.LastInitialized == last || round.LastInitialized == round.Number && !round.PreviousHash.IsZero()
	return opened && self.ActivationRound != 0 && self.ActivationRound <= last && last < self.DeactivationRound &&
		self.LastRewardRound < last
}

// notDue says why this round's reward cannot be called by this account now.
func (c *RewardCaller) notDue(round RoundState, self Orchestrator) error {
	switch {
	case !self.Active && !self.Registered:
		return waits("the orchestrator is not registered")
	case !self.Active && self.ActivationRound > round.Number:
		return waits(fmt.Sprintf("the orchestrator becomes active in round %d", self.ActivationRound))
	case !self.Active:
		return waits("the orchestrator is not in the active set")
	case self.LastRewardRound >= round.Number:
		return nil
	case !c.allowed(self):
		return fault.New(fault.RewardNotAllowed, "call reward", fmt.Sprintf("account %s, orchestrator %s",
			c.opt.Actor.Account(), self.Address))
	case !round.Initialized:
		return waits("the round is not initialized")
	}
	return nil
}

// waits is a reason to wait that is no problem.
type waits string

// Error returns the reason.
func (w waits) Error() string { return string(w) }

func (c *RewardCaller) allowed(self Orchestrator) bool {
	account := c.opt.Actor.Account()
	return account == self.Address || account == self.RewardCaller && !account.IsZero()
}

func (c *RewardCaller) waiting(why error) {
	c.opt.Board.Clear(health.Key{Code: fault.RewardFailing})
	var code fault.Code
	if errors.Is(why, fault.RewardNotAllowed) {
		code = fault.RewardNotAllowed
	}
	if code != "" && c.opt.Mode == RewardOn {
		c.opt.Board.Report(health.Key{Code: code}, why)
	} else {
		c.opt.Board.Clear(health.Key{Code: fault.RewardNotAllowed})
	}
	if code != "" && !c.warned {
		// Another process may call. If none does, the round is reported as missed.
		c.warned = true
		c.opt.Log.Warn("this account may not call reward", fault.Attr(why))
	}
	c.update(func(s *RewardStatus) { s.State, s.Code, s.Reason = RewardWaiting, code, why.Error() })
}

// action returns the call that the account may make.
func (c *RewardCaller) action() Action {
	if c.opt.Actor.Account() == c.opt.Orchestrator {
		return Reward{}
	}
	return RewardFor{Orchestrator: c.opt.Orchestrator}
}

// call sends the reward call and waits until it is mined. The transaction goes on
// when ctx ends, and is found again by its name.
func (c *RewardCaller) call(ctx context.Context, round RoundState) error {
	c.update(func(s *RewardStatus) { s.State, s.Code, s.Reason = RewardSending, "", "" })
	// The round may end while we wait: then there is nothing to wait for.
	tx, err := c.opt.Actor.Send(ctx, c.action(), SendOptions{
		Once: c.lost.once(fmt.Sprintf("reward %s %d", c.opt.Orchestrator, round.Number)), Until: round.End() - 1,
	})
	switch {
	case err != nil && c.calledAnyway(ctx, round.Number):
		c.done(round.Number, TxHash{})
		return nil
	case err != nil:
		return c.failed(ctx, round, err)
	}
	return c.booked(ctx, round, tx)
}

// errNotBooked: the call was mined, and the chain does not show a reward.
var errNotBooked = errors.New("the call was mined, and the chain shows no reward of this round")

// booked asks the chain which round the call counted for: one that was mined after
// the round's end counts for the next.
func (c *RewardCaller) booked(ctx context.Context, round RoundState, tx Transaction) error {
	self, err := c.opt.Stakes.Orchestrator(ctx, c.opt.Orchestrator)
	switch {
	case err != nil:
		return c.failed(ctx, round, fmt.Errorf("read the orchestrator's record: %w", err))
	case self.LastRewardRound < round.Number:
		c.lost.count(tx)
		return c.failed(ctx, round, errNotBooked)
	}
	c.opt.Log.Info("called reward", "round", uint64(self.LastRewardRound), "tx", tx.Hash.String(), "fee",
		tx.Fee.Ether()+" ETH")
	c.done(self.LastRewardRound, tx.Hash)
	return nil
}

// calledAnyway reports whether another process with the same key, or the operator, was faster.
func (c *RewardCaller) calledAnyway(ctx context.Context, round Round) bool {
	self, err := c.opt.Stakes.Orchestrator(ctx, c.opt.Orchestrator)
	return err == nil && self.LastRewardRound >= round
}

func (c *RewardCaller) done(round Round, tx TxHash) {
	for _, code := range []fault.Code{fault.RewardFailing, fault.RewardNotAllowed} {
		c.opt.Board.Clear(health.Key{Code: code})
	}
	c.update(func(s *RewardStatus) {
		s.State, s.Code, s.Reason, s.LastRewardRound = RewardDone, "", "", max(s.LastRewardRound, round)
		if !tx.IsZero() {
			s.Tx = tx
		}
	})
	c.settle(PastReward{Round: round, Outcome: RewardCalled, Tx: tx, Time: c.opt.Now()})
}

// failed notes a failure. The end of the node itself is none.
func (c *RewardCaller) failed(ctx context.Context, round RoundState, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code, text := fault.Public(err)
	c.update(func(s *RewardStatus) {
		s.State, s.Code, s.Reason, s.Failures = RewardFailed, fault.Code(code), text, s.Failures+1
	})
	detail := text
	if round.Number != 0 {
		detail = fmt.Sprintf("round %d: %s", round.Number, text)
	}
	c.opt.Board.Set(health.Key{Code: fault.RewardFailing}, detail)
	return err
}
