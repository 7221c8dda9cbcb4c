package pm

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

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
