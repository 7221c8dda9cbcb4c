package chain

import (
	"context"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// stakeShift is how an action moves stake between orchestrators.
type stakeShift struct {
	// from loses loss, then to gains gain and loses cut.
	from, to        core.Address
	loss, gain, cut core.LPT
	// join: the orchestrator "to" enters the pool if it is not a member. Only a gain makes the contract check.
	join bool
}

// stakeShiftOf returns the stake that an action moves; false for none. The amount of a reward is not known here.
func stakeShiftOf(a protocol.Action, f actionState) (stakeShift, bool) {
	switch a := a.(type) {
	case protocol.Bond:
		s := stakeShift{to: a.To, gain: a.Amount, join: true}
		if f.stake.Delegate != a.To && !f.stake.Bonded.IsZero() {
			s.from, s.loss = f.stake.Delegate, f.stake.PendingStake
			s.gain = s.gain.Add(f.stake.PendingStake)
		}
		return s, true
	case protocol.Unbond:
		s := stakeShift{to: f.stake.Delegate, cut: a.Amount}
		if s.to == f.account && f.stake.PendingStake.Cmp(a.Amount) == 0 {
			// An orchestrator without a bond of its own leaves the pool, however much others bonded.
			return stakeShift{}, false
		}
		return s, true
	case protocol.Rebond:
		return stakeShift{to: f.stake.Delegate, gain: f.lock.Amount, join: true}, true
	case protocol.RebondFromUnbonded:
		return stakeShift{to: a.To, gain: f.lock.Amount, join: true}, true
	case protocol.SetCommission:
		member := f.record.DeactivationRound == protocol.Never
		return stakeShift{to: f.account, join: true}, !member
	case protocol.Reward, protocol.RewardFor:
		return stakeShift{to: f.record.Address, join: true}, true
	}
	return stakeShift{}, false
}

// hints returns the neighbors that orchestrators will have in the pool after an action. They only save gas:
// without them the contract searches.
func (c *Chain) hints(ctx context.Context, n *network, a protocol.Action, f actionState) (contracts.BondHints, error) {
	s, moves := stakeShiftOf(a, f)
	if !moves {
		return contracts.BondHints{}, nil
	}
	members, size, err := c.ranking(ctx, n, f.block)
	if err != nil {
		return contracts.BondHints{}, err
	}
	stake, member := members.stake(s.to)
	if !member {
		if !s.join {
			return contracts.BondHints{}, nil
		}
		if err := contracts.ReadAll(ctx, c.opt.Client, f.block, n.reads.TotalStake(s.to, &stake)); err != nil {
			return contracts.BondHints{}, err
		}
	}
	switch a.(type) {
	case protocol.Reward, protocol.RewardFor:
		if s.gain, err = c.mintable(ctx, n, f); err != nil {
			return contracts.BondHints{}, err
		}
	}
	return s.hints(members, stake, size), nil
}

// hints simulates the contract's list. stake is the previous stake of "to".
func (s stakeShift) hints(members ranking, stake core.LPT, size int) contracts.BondHints {
	var h contracts.BondHints
	if had, ok := members.stake(s.from); ok && !s.from.IsZero() {
		members, h.Old = members.move(s.from, had.Sub(s.loss), size)
	}
	_, h.New = members.move(s.to, stake.Add(s.gain).Sub(s.cut), size)
	return h
}

// mintable returns what a reward adds to an orchestrator's stake in this round.
func (c *Chain) mintable(ctx context.Context, n *network, f actionState) (core.LPT, error) {
	var terms contracts.RewardTerms
	var counted protocol.EarningsPool
	// Changes of this round count from the next one on.
	round := min(f.round.Number, f.record.LastActiveStakeUpdateRound)
	reads := append(n.reads.RewardTerms(&terms), n.reads.EarningsPool(f.record.Address, round, &counted))
	if err := contracts.ReadAll(ctx, c.opt.Client, f.block, reads...); err != nil {
		return core.LPT{}, err
	}
	return rewardOf(terms, counted.TotalStake), nil
}

// rewardOf computes a reward without the treasury's part, truncating as the
// contracts do.
func rewardOf(t contracts.RewardTerms, stake core.LPT) core.LPT {
	total := t.TotalActiveStake.Big()
	if total.Sign() == 0 {
		return core.LPT{}
	}
	billion := big.NewInt(1_000_000_000)
	share := new(big.Int).Mul(stake.Big(), billion)
	minted := new(big.Int).Mul(t.Mintable.Big(), share.Quo(share, total))
	minted.Quo(minted, billion)
	if t.TreasuryCut != nil && t.TreasuryCut.Sign() > 0 {
		whole := new(big.Int).Exp(big.NewInt(10), big.NewInt(27), nil)
		cut := new(big.Int).Mul(minted, t.TreasuryCut)
		minted.Sub(minted, cut.Quo(cut, whole))
	}
	if minted.Sign() < 0 {
		return core.LPT{}
	}
	amount, err := core.LPTOf(minted)
	if err != nil {
		return core.LPT{}
	}
	return amount
}
