package contracts

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// BondHints are the places of the orchestrator that loses the stake and of the one
// that gets it.
type BondHints struct{ Old, New Hints }

// Approve lets the bonding contract, and no other account, take tokens.
func (c Calls) Approve(amount core.LPT) Call {
	data := tokenABI.PackApprove(common.Address(c.a.BondingManager), amount.Big())
	return call(protocol.Approve{}.Verb(), c.a.LivepeerToken, data, fmt.Sprintf("let the bonding contract take %s LPT",
		amount.Tokens()))
}

// Bond adds stake and moves what is bonded elsewhere to the same delegate; amount
// is the extra stake alone.
func (c Calls) Bond(amount core.LPT, to core.Address, at BondHints) Call {
	data := bondingABI.PackBond(amount.Big(), common.Address(to))
	if at != (BondHints{}) {
		data = bondingABI.PackBondWithHint(amount.Big(), common.Address(to), at.Old.prev(), at.Old.next(), at.New.prev(),
			at.New.next())
	}
	about := fmt.Sprintf("bond %s LPT to %s", amount.Tokens(), to)
	if amount.IsZero() {
		about = fmt.Sprintf("move all stake to %s", to)
	}
	return call(protocol.Bond{}.Verb(), c.a.BondingManager, data, about)
}

// Unbond takes stake back into a lock. The hints are for the delegate's new place.
func (c Calls) Unbond(amount core.LPT, at Hints) Call {
	data := bondingABI.PackUnbond(amount.Big())
	if !at.IsZero() {
		data = bondingABI.PackUnbondWithHint(amount.Big(), at.prev(), at.next())
	}
	return call(protocol.Unbond{}.Verb(), c.a.BondingManager, data, fmt.Sprintf("unbond %s LPT", amount.Tokens()))
}

// Rebond puts a lock back to the present delegate.
func (c Calls) Rebond(lock protocol.LockID, at Hints) Call {
	data := bondingABI.PackRebond(lockNumber(lock))
	if !at.IsZero() {
		data = bondingABI.PackRebondWithHint(lockNumber(lock), at.prev(), at.next())
	}
	return call(protocol.Rebond{}.Verb(), c.a.BondingManager, data, fmt.Sprintf("rebond unbonding lock %d", lock))
}

// RebondFromUnbonded bonds a lock of an account without stake to a delegate.
func (c Calls) RebondFromUnbonded(to core.Address, lock protocol.LockID, at Hints) Call {
	data := bondingABI.PackRebondFromUnbonded(common.Address(to), lockNumber(lock))
	if !at.IsZero() {
		data = bondingABI.PackRebondFromUnbondedWithHint(common.Address(to), lockNumber(lock), at.prev(), at.next())
	}
	return call(protocol.RebondFromUnbonded{}.Verb(), c.a.BondingManager, data,
		fmt.Sprintf("bond unbonding lock %d to %s", lock, to))
}

// WithdrawStake pays a lock out.
func (c Calls) WithdrawStake(lock protocol.LockID) Call {
	return call(protocol.WithdrawStake{}.Verb(), c.a.BondingManager, bondingABI.PackWithdrawStake(lockNumber(lock)),
		fmt.Sprintf("withdraw the stake of unbonding lock %d", lock))
}

// WithdrawFees pays earned ETH to an account.
func (c Calls) WithdrawFees(recipient core.Address, amount core.Wei) Call {
	return call(protocol.WithdrawFees{}.Verb(), c.a.BondingManager,
		bondingABI.PackWithdrawFees(common.Address(recipient), amount.Big()),
		fmt.Sprintf("withdraw %s ETH of fees to %s", amount.Ether(), recipient))
}

// ClaimEarnings credits rewards and fees up to the present round; the contract ignores the round it is given.
func (c Calls) ClaimEarnings() Call {
	return call(protocol.ClaimEarnings{}.Verb(), c.a.BondingManager, bondingABI.PackClaimEarnings(new(big.Int)),
		"claim earnings up to the present round")
}

// Transfer sends stake tokens to an account.
func (c Calls) Transfer(to core.Address, amount core.LPT) Call {
	return call(protocol.TransferTokens{}.Verb(), c.a.LivepeerToken, tokenABI.PackTransfer(common.Address(to),
		amount.Big()),
		fmt.Sprintf("send %s LPT to %s", amount.Tokens(), to))
}

// RequestTokens asks a test network's faucet; FaucetMissing where there is none.
func (c Calls) RequestTokens() (Call, error) {
	if c.a.LivepeerTokenFaucet.IsZero() {
		return Call{}, fault.New(fault.FaucetMissing, "request tokens", "")
	}
	return call(protocol.RequestTokens{}.Verb(), c.a.LivepeerTokenFaucet, faucetABI.PackRequest(),
		"ask the faucet for test tokens"), nil
}

func lockNumber(id protocol.LockID) *big.Int { return new(big.Int).SetUint64(uint64(id)) }
