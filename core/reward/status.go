package reward

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// State is where the present round's reward stands.
type State string

// The states. Waiting has a reason: not active, round not initialised, account
// not allowed.
const (
	StateOff     State = "off"
	StateIdle    State = "idle"
	StateWaiting State = "waiting"
	StateSending State = "sending"
	StateDone    State = "done"
	StateFailed  State = "failed"
)

// Outcome is how a round's reward ended.
type Outcome string

// The outcomes of a round.
const (
	Called Outcome = "called"
	Missed Outcome = "missed"
)

// Past is a round whose reward is settled.
type Past struct {
	Round   protocol.Round
	Outcome Outcome
	// Amount is what was minted for the orchestrator and its delegators, as far as
	// it is known.
	Amount core.LPT
	Tx     protocol.TxHash
	Time   time.Time
	Reason string
}

// Status is what the Caller does at this moment.
type Status struct {
	Mode  Mode
	State State
	Round protocol.Round
	// LastRewardRound is what the chain says.
	LastRewardRound protocol.Round
	Code            fault.Code
	Reason          string
	NextTry         time.Time
	// Failures counts calls that failed, since the start.
	Failures uint64
	// Tx is the call of this round.
	Tx protocol.TxHash
	// History are the last rounds, newest first.
	History []Past
}

// maxHistory bounds Status.History: a month of rounds.
const maxHistory = 32

// Status returns a copy of the present state.
func (c *Caller) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.status
	s.History = append([]Past(nil), c.status.History...)
	return s
}

func (c *Caller) update(f func(*Status)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.status)
}

// settle puts a round into the history, once, and has it remembered.
func (c *Caller) settle(p Past) {
	c.update(func(s *Status) {
		for i := range s.History {
			if h := &s.History[i]; h.Round == p.Round {
				h.fill(p)
				c.unsaved[p.Round] = *h
				return
			}
		}
		s.History = append([]Past{p}, s.History...)
		slices.SortStableFunc(s.History, func(a, b Past) int { return cmp.Compare(b.Round, a.Round) })
		if len(s.History) > maxHistory {
			s.History = s.History[:maxHistory]
		}
		c.unsaved[p.Round] = p
	})
}

// recall begins the history with what is remembered.
func (c *Caller) recall(ctx context.Context) {
	if c.opt.Memory == nil {
		return
	}
	past, err := c.opt.Memory.Load(ctx, maxHistory)
	if err != nil {
		c.opt.Log.Warn("the rewards of earlier rounds are not known", fault.Attr(err))
		return
	}
	c.update(func(s *Status) { s.History = append(s.History, past...) })
}

// remember writes what was settled since.
func (c *Caller) remember(ctx context.Context) {
	c.mu.Lock()
	unsaved := c.unsaved
	c.unsaved = make(map[protocol.Round]Past)
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
func (h *Past) fill(p Past) {
	if p.Outcome == Called {
		h.Outcome, h.Reason = Called, ""
	}
	if h.Amount.IsZero() {
		h.Amount = p.Amount
	}
	if h.Tx.IsZero() {
		h.Tx = p.Tx
	}
}
