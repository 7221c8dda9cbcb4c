package reward

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Caller is the reward service, a lifecycle.Component.
type Caller struct {
	opt Options
	// wake has capacity 1: it makes Run check the round again.
	wake chan struct{}
	// classified is the round in which the one before it was classified; warned: the account's
	// missing right was logged. Both are Run's alone.
	classified protocol.Round
	warned     bool

	mu     sync.Mutex
	status Status // guarded by mu
	// unsaved are settled rounds that Memory does not have yet; guarded by mu.
	unsaved map[protocol.Round]Past
}

// New makes the service. It does nothing until Run.
func New(opt Options) *Caller {
	opt.defaults()
	c := &Caller{opt: opt, wake: make(chan struct{}, 1), unsaved: make(map[protocol.Round]Past)}
	c.status = Status{Mode: opt.Mode, State: StateIdle}
	if opt.Mode == Off {
		c.status.State = StateOff
	}
	return c
}

// Name returns the component's name.
func (c *Caller) Name() string { return "reward" }

// Run calls reward whenever it is due, until ctx ends.
func (c *Caller) Run(ctx context.Context, ready func()) error {
	c.recall(ctx)
	stop := c.opt.Events.Subscribe(c.onEvent)
	defer stop()
	ready()
	if c.opt.Mode == Off {
		<-ctx.Done()
		return ctx.Err()
	}
	pause := c.opt.Retry
	for {
		wait := c.opt.Check
		if err := c.checkRound(ctx); err != nil {
			wait, pause = pause, min(2*pause, c.opt.MaxRetry)
			c.update(func(s *Status) { s.NextTry = c.opt.Now().Add(wait) })
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
func (c *Caller) onEvent(e protocol.Event) {
	switch e := e.(type) {
	case protocol.RewardSeen:
		c.settle(Past{Round: e.Round, Outcome: Called, Amount: e.Amount, Tx: e.Tx, Time: c.opt.Now()})
	case protocol.RoundSeen, protocol.SelfSeen, protocol.Reorganized:
	case protocol.StaleSeen:
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
func (c *Caller) checkRound(ctx context.Context) error {
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
		c.done(round.Number, protocol.TxHash{})
		return nil
	}
	return c.call(ctx, round)
}

// begin notes a new round, and whether the one before it was missed. That is
// classified from the chain alone: whether this process ran or saw it does not matter.
func (c *Caller) begin(round protocol.RoundState, self protocol.Orchestrator) {
	c.mu.Lock()
	before := c.status
	c.status.Round, c.status.LastRewardRound = round.Number, self.LastRewardRound
	c.status.NextTry = time.Time{}
	if before.Round != round.Number {
		c.status.State, c.status.Tx, c.status.Code, c.status.Reason = StateIdle, protocol.TxHash{}, "", ""
	}
	c.mu.Unlock()
	last := round.Number - 1
	if c.classified == round.Number {
		return
	}
	c.classified = round.Number
	if !missed(round, self) {
		c.opt.Board.Clear(health.Key{Code: fault.RewardMissed})
		return
	}
	why := before.Reason
	if before.Round != last || why == "" {
		why = "this node did not run, or had no endpoint"
	}
	c.settle(Past{Round: last, Outcome: Missed, Time: c.opt.Now(), Reason: why})
	c.opt.Board.Set(health.Key{Code: fault.RewardMissed}, fmt.Sprintf("round %d ended without its reward call: %s", last,
		why))
}

// missed reports whether the round before could have been rewarded and was not.
func missed(round protocol.RoundState, self protocol.Orchestrator) bool {
	last := round.Number - 1
	opened := round.LastInitialized == last || round.LastInitialized == round.Number && !round.PreviousHash.IsZero()
	return opened && self.ActivationRound != 0 && self.ActivationRound <= last && last < self.DeactivationRound &&
		self.LastRewardRound < last
}

// notDue says why this round's reward cannot be called by this account now.
func (c *Caller) notDue(round protocol.RoundState, self protocol.Orchestrator) error {
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
		return waits("the round is not initialised")
	}
	return nil
}

// waits is a reason to wait that is no problem.
type waits string

// Error returns the reason.
func (w waits) Error() string { return string(w) }

func (c *Caller) allowed(self protocol.Orchestrator) bool {
	account := c.opt.Actor.Account()
	return account == self.Address || account == self.RewardCaller && !account.IsZero()
}

func (c *Caller) waiting(why error) {
	c.opt.Board.Clear(health.Key{Code: fault.RewardFailing})
	var code fault.Code
	if errors.Is(why, fault.RewardNotAllowed) {
		code = fault.RewardNotAllowed
	}
	if code != "" && c.opt.Mode == On {
		c.opt.Board.Report(health.Key{Code: code}, why)
	} else {
		c.opt.Board.Clear(health.Key{Code: fault.RewardNotAllowed})
	}
	if code != "" && !c.warned {
		// Another process may call. If none does, the round is reported as missed.
		c.warned = true
		c.opt.Log.Warn("this account may not call reward", fault.Attr(why))
	}
	c.update(func(s *Status) { s.State, s.Code, s.Reason = StateWaiting, code, why.Error() })
}

// action returns the call that the account may make.
func (c *Caller) action() protocol.Action {
	if c.opt.Actor.Account() == c.opt.Orchestrator {
		return protocol.Reward{}
	}
	return protocol.RewardFor{Orchestrator: c.opt.Orchestrator}
}

// call sends the reward call and waits until it is mined. The transaction goes on
// when ctx ends, and is found again by its name.
func (c *Caller) call(ctx context.Context, round protocol.RoundState) error {
	c.update(func(s *Status) { s.State, s.Code, s.Reason = StateSending, "", "" })
	// The round may end while we wait: then there is nothing to wait for.
	tx, err := c.opt.Actor.Send(ctx, c.action(), protocol.SendOptions{
		Once: onceKey(c.opt.Orchestrator, round.Number), Until: round.End() - 1,
	})
	switch {
	case err != nil && c.calledAnyway(ctx, round.Number):
		c.done(round.Number, protocol.TxHash{})
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
func (c *Caller) booked(ctx context.Context, round protocol.RoundState, tx protocol.Transaction) error {
	self, err := c.opt.Stakes.Orchestrator(ctx, c.opt.Orchestrator)
	switch {
	case err != nil:
		return c.failed(ctx, round, fmt.Errorf("read the orchestrator's record: %w", err))
	case self.LastRewardRound < round.Number:
		return c.failed(ctx, round, errNotBooked)
	}
	c.opt.Log.Info("called reward", "round", uint64(self.LastRewardRound), "tx", tx.Hash.String(), "fee",
		tx.Fee.Ether()+" ETH")
	c.done(self.LastRewardRound, tx.Hash)
	return nil
}

// calledAnyway reports whether another process with the same key, or the operator, was faster.
func (c *Caller) calledAnyway(ctx context.Context, round protocol.Round) bool {
	self, err := c.opt.Stakes.Orchestrator(ctx, c.opt.Orchestrator)
	return err == nil && self.LastRewardRound >= round
}

// once names the one call of a round.
func onceKey(orchestrator core.Address, round protocol.Round) string {
	return fmt.Sprintf("reward %s %d", orchestrator, round)
}

func (c *Caller) done(round protocol.Round, tx protocol.TxHash) {
	for _, code := range []fault.Code{fault.RewardFailing, fault.RewardNotAllowed} {
		c.opt.Board.Clear(health.Key{Code: code})
	}
	c.update(func(s *Status) {
		s.State, s.Code, s.Reason, s.LastRewardRound = StateDone, "", "", max(s.LastRewardRound, round)
		if !tx.IsZero() {
			s.Tx = tx
		}
	})
	c.settle(Past{Round: round, Outcome: Called, Tx: tx, Time: c.opt.Now()})
}

// failed notes a failure. The end of the node itself is none.
func (c *Caller) failed(ctx context.Context, round protocol.RoundState, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	code, text := fault.Public(err)
	c.update(func(s *Status) {
		s.State, s.Code, s.Reason, s.Failures = StateFailed, fault.Code(code), text, s.Failures+1
	})
	detail := text
	if round.Number != 0 {
		detail = fmt.Sprintf("round %d: %s", round.Number, text)
	}
	c.opt.Board.Set(health.Key{Code: fault.RewardFailing}, detail)
	return err
}
