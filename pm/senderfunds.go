package pm

import (
	"fmt"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Unlocked reports whether a sender may withdraw its funds in a round; withdraw is its withdraw round, 0 while the
// funds are locked.
func Unlocked(withdraw, round protocol.Round) bool { return withdraw != 0 && withdraw <= round }

// UnlocksSoon reports whether a sender's funds may be gone before tickets of a round are redeemed: tickets are neither
// sent nor taken then.
func UnlocksSoon(withdraw, round protocol.Round) bool { return Unlocked(withdraw, round+1) }

// depositLimit returns the largest face value that a deposit carries when it must pay so many winners.
func depositLimit(deposit core.Wei, winners int) *big.Int {
	return new(big.Int).Quo(deposit.Big(), big.NewInt(int64(max(1, winners))))
}

// checkFunds says whether recipients take tickets on these funds.
func checkFunds(funds protocol.Sender, round protocol.Round) error {
	switch {
	case UnlocksSoon(funds.WithdrawRound, round):
		return fault.New(fault.OwnFundsUnlocking, opPay, fmt.Sprintf("deposit and reserve are set to unlock in round %d",
			funds.WithdrawRound))
	case funds.Reserve.FundsRemaining.IsZero():
		return fault.New(fault.OwnReserveEmpty, opPay, "no reserve")
	case funds.Deposit.IsZero():
		return fault.New(fault.OwnDepositEmpty, opPay, "no deposit")
	}
	return nil
}

// MaxFloat returns the most that the funds of a sender carry for one recipient: its share
// of the reserve, less what it drew of it in this round, less pending, the face
// values of this sender's tickets that are being redeemed, unless the deposit covers
// those three times.
func MaxFloat(funds protocol.SenderFunds, poolSize int, pending core.Wei) core.Wei {
	if poolSize <= 0 {
		return core.Wei{}
	}
	reserve := new(big.Int).Add(funds.Reserve.FundsRemaining.Big(), funds.Reserve.ClaimedInCurrentRound.Big())
	share := reserve.Quo(reserve, big.NewInt(int64(poolSize)))
	share.Sub(share, funds.Claimed.Big())
	if funds.Deposit.Big().Cmp(times(pending.Big(), 3)) < 0 {
		share.Sub(share, pending.Big())
	}
	if share.Sign() < 0 {
		return core.Wei{}
	}
	w, err := core.WeiOf(share)
	if err != nil {
		// Two amounts of 2^255 wei each; no chain has them.
		return core.Wei{}
	}
	return w
}

// Available returns what the funds of a sender would pay one active recipient now: the
// deposit, and what the recipient may still claim of the reserve.
func Available(funds protocol.SenderFunds, poolSize int) core.Wei {
	if poolSize <= 0 {
		return funds.Deposit
	}
	all := new(big.Int).Add(funds.Reserve.FundsRemaining.Big(), funds.Reserve.ClaimedInCurrentRound.Big())
	left := all.Quo(all, big.NewInt(int64(poolSize)))
	left.Sub(left, funds.Claimed.Big())
	if most := funds.Reserve.FundsRemaining.Big(); left.Cmp(most) > 0 {
		left = most
	}
	if left.Sign() <= 0 {
		return funds.Deposit
	}
	share, err := core.WeiOf(left)
	if err != nil {
		return funds.Deposit
	}
	return funds.Deposit.Add(share)
}
