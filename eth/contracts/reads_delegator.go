package contracts

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// Delegator asks for an account's own stake and earnings.
func (r Reads) Delegator(account core.Address, out *protocol.Delegator) []Read {
	out.Address = account
	at, id := r.a.BondingManager, common.Address(account)
	// The contract ignores the round of the two pending amounts.
	ignored := new(big.Int)
	return []Read{
		view("BondingManager.getDelegator", at, bondingABI.PackGetDelegator(id), bondingABI.UnpackGetDelegator,
			func(c *convert, v bindings.GetDelegatorOutput) { takeDelegator(c, v, out) }),
		view("BondingManager.pendingStake", at, bondingABI.PackPendingStake(id, ignored), bondingABI.UnpackPendingStake,
			set(&out.PendingStake, (*convert).lpt)),
		view("BondingManager.pendingFees", at, bondingABI.PackPendingFees(id, ignored), bondingABI.UnpackPendingFees,
			set(&out.PendingFees, (*convert).wei)),
		view("BondingManager.delegatorStatus", at, bondingABI.PackDelegatorStatus(id), bondingABI.UnpackDelegatorStatus,
			func(c *convert, v uint8) { takeStatus(c, v, &out.Status) }),
	}
}

func takeDelegator(c *convert, v bindings.GetDelegatorOutput, out *protocol.Delegator) {
	out.Bonded, out.Fees = c.lpt(v.BondedAmount), c.wei(v.Fees)
	out.Delegate, out.DelegatedAmount = core.Address(v.DelegateAddress), c.lpt(v.DelegatedAmount)
	out.StartRound, out.LastClaimRound = c.round(v.StartRound), c.round(v.LastClaimRound)
	out.NextLockID = c.lock(v.NextUnbondingLockId)
}

func takeStatus(c *convert, v uint8, out *protocol.DelegatorStatus) {
	if v > uint8(protocol.Unbonded) {
		c.fail(fmt.Errorf("%w: %d is no status of a delegator", errOutOfRange, v))
		return
	}
	*out = protocol.DelegatorStatus(v)
}

// UnbondingLock asks for one lock; its WithdrawRound is 0 when it does not exist or
// was used.
func (r Reads) UnbondingLock(account core.Address, id protocol.LockID, out *protocol.UnbondingLock) Read {
	out.ID, out.Delegator = id, account
	return view("BondingManager.getDelegatorUnbondingLock", r.a.BondingManager,
		bondingABI.PackGetDelegatorUnbondingLock(common.Address(account), lockNumber(id)),
		bondingABI.UnpackGetDelegatorUnbondingLock,
		func(c *convert, v bindings.GetDelegatorUnbondingLockOutput) {
			out.Amount, out.WithdrawRound = c.lpt(v.Amount), c.round(v.WithdrawRound)
		})
}

// TokenBalance asks for an account's stake tokens that are not bonded.
func (r Reads) TokenBalance(account core.Address, out *core.LPT) Read {
	return view("LivepeerToken.balanceOf", r.a.LivepeerToken, tokenABI.PackBalanceOf(common.Address(account)),
		tokenABI.UnpackBalanceOf, set(out, (*convert).lpt))
}

// Allowance asks how many tokens the bonding contract may take of an account.
func (r Reads) Allowance(owner core.Address, out *core.LPT) Read {
	return view("LivepeerToken.allowance", r.a.LivepeerToken,
		tokenABI.PackAllowance(common.Address(owner), common.Address(r.a.BondingManager)), tokenABI.UnpackAllowance,
		set(out, (*convert).lpt))
}
