package chain

import (
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

func checkOrchestrator(a protocol.Action, f actionState, refuse refusal) error {
	switch a.(type) {
	case protocol.SetCommission:
		switch {
		case !f.record.Registered:
			return refuse(fault.NotRegistered, "the account has no stake bonded to itself")
		case f.round.Locked:
			return refuse(fault.RoundLocked, "round %d is locked until layer-1 block %d", f.round.Number, f.round.End())
		case f.record.Active && f.record.LastRewardRound < f.round.Number:
			return refuse(fault.CommissionNeedsReward, "reward was not called in round %d", f.round.Number)
		}
	case protocol.InitializeRound:
		if f.round.Initialized {
			return refuse(fault.RoundAlreadyInitialized, "round %d", f.round.Number)
		}
	}
	return nil
}

func checkReward(a protocol.Action, f actionState, refuse refusal) error {
	switch a.(type) {
	case protocol.Reward:
	case protocol.RewardFor:
		if f.record.RewardCaller != f.account {
			return refuse(fault.RewardCallerRefused, "the reward caller of %s is %s", f.record.Address, f.record.RewardCaller)
		}
	default:
		return nil
	}
	switch {
	case !f.record.Active:
		return refuse(fault.RewardNotDue, "%s is not active in round %d", f.record.Address, f.round.Number)
	case f.record.LastRewardRound >= f.round.Number:
		return refuse(fault.RewardNotDue, "reward was called for %s in round %d", f.record.Address, f.record.LastRewardRound)
	}
	return nil
}

func checkFunds(a protocol.Action, f actionState, refuse refusal) error {
	empty := f.sender.Deposit.IsZero() && f.sender.Reserve.FundsRemaining.IsZero()
	free := f.sender.WithdrawRound
	switch a.(type) {
	case protocol.Unlock:
		switch {
		case empty:
			return refuse(fault.SenderFundsMissing, "nothing to unlock")
		case free != 0:
			return refuse(fault.SenderUnlockState, "the unlock has begun; the funds are free in round %d", free)
		}
	case protocol.CancelUnlock:
		if free == 0 {
			return refuse(fault.SenderUnlockState, "no unlock has begun")
		}
	case protocol.WithdrawFunds:
		switch {
		case empty:
			return refuse(fault.SenderFundsMissing, "nothing to withdraw")
		case free == 0:
			return refuse(fault.SenderUnlockState, "no unlock has begun")
		case free > f.round.Number:
			return refuse(fault.SenderUnlockState, "the funds are free in round %d, this is round %d", free, f.round.Number)
		}
	}
	return nil
}
