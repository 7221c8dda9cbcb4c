package protocol

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// RewardState is where the present round's reward stands.
type RewardState string

// The states. Waiting has a reason: not active, round not initialized, account
// not allowed.
const (
	RewardStateOff RewardState = "off"
	RewardIdle     RewardState = "idle"
	RewardWaiting  RewardState = "waiting"
	RewardSending  RewardState = "sending"
	RewardDone     RewardState = "done"
	RewardFailed   RewardState = "failed"
)

// RewardOutcome is how a round's reward ended.
type RewardOutcome string

// The outcomes of a round.
const (
	RewardCalled RewardOutcome = "called"
	RewardMissed RewardOutcome = "missed"
)

// PastReward is a round whose reward is settled.
type PastReward struct {
	Round   Round
	Outcome RewardOutcome
	// Amount is what was minted for the orchestrator and its delegators, as far as
	// it is known.
	Amount core.LPT
	Tx     TxHash
	Time   time.Time
	Reason string
}

// RewardStatus is what the RewardCaller does at this moment.
type RewardStatus struct {
	Mode  RewardMode
	State RewardState
	Round Round
	// LastRewardRound is what the chain says.
	LastRewardRound Round
	Code            fault.Code
	Reason          string
	NextTry         time.Time
	// Failures counts calls that failed, since the start.
	Failures uint64
	// Tx is the call of this round.
	Tx TxHash
	// History are the last rounds, newest first.
	History []PastReward
}

// maxHistory bounds Status.History: a month of rounds.
const maxHistory = 32

// Status returns a copy of the present state.
func (c *RewardCaller) Status() RewardStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.History = append([]PastReward(nil), c.status.History...)
	return s
}

func (c *RewardCaller) update(f func(*RewardStatus)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.status)
}

// settle puts a round into the history, once, and has it remembered.
func (c *RewardCaller) settle(p PastReward) {
	c.update(func(s *RewardStatus) {
		for i := range s.History {
			if h := &s.History[i]; h.Round == p.Round {
				h.fill(p)
				c.unsaved[p.Round] = *h
				return
			}
		}
		s.History = append([]PastReward{p}, s.History...)
		slices.SortStableFunc(s.History, func(a, b PastReward) int { return cmp.Compare(b.Round, a.Round) })
		if len(s.History) > maxHistory {
			s.History = s.History[:maxHistory]
		}
		c.unsaved[p.Round] = p
	})
}

// recall begins the history with what is remembered.
func (c *RewardCaller) recall(ctx context.Context) {
	if c.opt.Memory == nil {
		return
	}
	past, err := c.opt.Memory.Load(ctx, maxHistory)
	if err != nil {
		c.opt.Log.Warn("the rewards of earlier rounds are not known", fault.Attr(err))
		return
	}
	c.update(func(s *RewardStatus) { s.History = append(s.History, past...) })
}

// remember writes what was settled since.
func (c *RewardCaller) remember(ctx context.Context) {
	c.mu.Lock()
	unsaved := c.unsaved
	c.unsaved = make(map[Round]PastReward)
	c.mu.Unlock()
	if c.opt.Memory == nil {
		return
	}
	for _, p := range unsaved {
		if err := c.opt.Memory.Save(ctx, p, maxHistory); err != nil && ctx.Err() == nil {
			c.opt.Log.Warn("what became of a reward is not remembered", fault.Attr(err))
		}
	}
}

// fill adds what was not known before. A call that is seen late was no miss.
func (h *PastReward) fill(p PastReward) {
	if p.Outcome == RewardCalled {
		h.Outcome, h.Reason = RewardCalled, ""
	}
	if h.Amount.IsZero() {
		h.Amount = p.Amount
	}
	if h.Tx.IsZero() {
		h.Tx = p.Tx
	}
}
