package chain

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// check predicts why an action would fail; nil when nothing speaks against it. It gives numbers where the
// contracts give a sentence.
func check(a protocol.Action, f actionState) error {
	refuse := func(code fault.Code, format string, args ...any) error {
		return fault.New(code, a.Verb(), fmt.Sprintf(format, args...))
	}
	if err := checkValues(a, f, refuse); err != nil {
		return err
	}
	g := guardsOf(a)
	switch {
	case g.paused && f.paused:
		return refuse(fault.ProtocolPaused, "the Controller is paused")
	case g.round && !f.round.Initialized:
		return refuse(fault.RoundNotInitialized, "round %d, the last one that was initialized is %d", f.round.Number,
			f.round.LastInitialized)
	}
	for _, one := range []func(protocol.Action, actionState, refusal) error{
		checkLoss, checkTokens, checkStake, checkLock, checkOrchestrator, checkReward, checkFunds,
	} {
		if err := one(a, f, refuse); err != nil {
			return err
		}
	}
	return nil
}

// refusal makes the fault of the checked action.
type refusal func(code fault.Code, format string, args ...any) error

// checkValues checks the action's own values.
func checkValues(a protocol.Action, f actionState, refuse refusal) error {
	switch a := a.(type) {
	case protocol.Bond:
		if a.To.IsZero() {
			return refuse(fault.ActionInvalid, "no address to bond to is given")
		}
		if a.Amount.IsZero() && (f.stake.Bonded.IsZero() || f.stake.Delegate == a.To) {
			return refuse(fault.ActionInvalid, "the amount is 0, and no stake would move")
		}
	case protocol.Unbond:
		if a.Amount.IsZero() {
			return refuse(fault.ActionInvalid, "the amount is 0")
		}
	case protocol.RebondFromUnbonded:
		if a.To.IsZero() {
			return refuse(fault.ActionInvalid, "no address to bond to is given")
		}
	case protocol.WithdrawFees:
		if a.Recipient.IsZero() {
			return refuse(fault.ActionInvalid, "no address to pay to is given")
		}
	case protocol.TransferTokens:
		if a.To.IsZero() {
			return refuse(fault.ActionInvalid, "no address to send to is given")
		}
	case protocol.SetCommission:
		if a.RewardCut > core.Whole || a.FeeShare > core.Whole {
			return refuse(fault.ActionInvalid, "a share is over 100 %%")
		}
	case protocol.RequestTokens:
		if !f.faucet {
			return refuse(fault.FaucetMissing, "the Controller knows none")
		}
	}
	return nil
}

func checkTokens(a protocol.Action, f actionState, refuse refusal) error {
	var amount core.LPT
	switch a := a.(type) {
	case protocol.Bond:
		amount = a.Amount
	case protocol.TransferTokens:
		amount = a.Amount
	default:
		return nil
	}
	if f.balances.Token.Cmp(amount) < 0 {
		return refuse(fault.TokensMissing, "the account has %s LPT, %s are to go", f.balances.Token.Tokens(), amount.Tokens())
	}
	if _, bonds := a.(protocol.Bond); bonds && f.balances.Allowance.Cmp(amount) < 0 {
		return refuse(fault.AllowanceMissing, "%s LPT are allowed, %s are to be bonded", f.balances.Allowance.Tokens(),
			amount.Tokens())
	}
	return nil
}

func checkStake(a protocol.Action, f actionState, refuse refusal) error {
	switch a := a.(type) {
	case protocol.Bond:
		own := f.stake.Delegate == f.account && !f.stake.Bonded.IsZero()
		if own && a.To != f.account {
			return refuse(fault.CannotMoveOwnStake, "the account is a registered orchestrator: unbond first")
		}
	case protocol.Unbond:
		switch {
		case f.stake.Status == protocol.Pending:
			return refuse(fault.StakeMissing, "the bond counts from round %d on", f.stake.StartRound)
		case f.stake.Status != protocol.Bonded:
			return refuse(fault.StakeMissing, "the account has no bond")
		case f.stake.PendingStake.Cmp(a.Amount) < 0:
			return refuse(fault.StakeMissing, "%s LPT are bonded, %s are to be unbonded", f.stake.PendingStake.Tokens(),
				a.Amount.Tokens())
		}
	case protocol.Rebond:
		if f.lock.WithdrawRound != 0 && f.stake.Status == protocol.Unbonded {
			return refuse(fault.StakeMissing, "the account has no bond: name an orchestrator to bond the lock to")
		}
	case protocol.RebondFromUnbonded:
		if f.lock.WithdrawRound != 0 && f.stake.Status != protocol.Unbonded {
			return refuse(fault.StillBonded, "the account is bonded to %s", f.stake.Delegate)
		}
	case protocol.WithdrawFees:
		if f.stake.PendingFees.Cmp(a.Amount) < 0 {
			return refuse(fault.FeesMissing, "%s ETH are earned, %s were asked for", f.stake.PendingFees.Ether(),
				a.Amount.Ether())
		}
	}
	return nil
}

func checkLock(a protocol.Action, f actionState, refuse refusal) error {
	var id protocol.LockID
	pays := false
	switch a := a.(type) {
	case protocol.Rebond:
		id = a.Lock
	case protocol.RebondFromUnbonded:
		id = a.Lock
	case protocol.WithdrawStake:
		id, pays = a.Lock, true
	default:
		return nil
	}
	switch {
	case f.lock.WithdrawRound == 0:
		return refuse(fault.UnbondingLockUnknown, "lock %d", id)
	case pays && f.lock.WithdrawRound > f.round.Number:
		return refuse(fault.UnbondingLockWaiting, "lock %d is free in round %d, this is round %d", id, f.lock.WithdrawRound,
			f.round.Number)
	}
	return nil
}
