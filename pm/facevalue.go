package pm

import (
	"errors"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// costMultiple is how many times the cost of its redemption a ticket is worth
	// when it wins, and how many times its expected value where gas is free.
	costMultiple = 100
	// fairGasPrice is the price at which gas counts when it costs more, 3 gwei.
	fairGasPrice = 3_000_000_000
)

// ErrSenderReserve is behind the fault InsufficientSenderReserve.
var ErrSenderReserve = errors.New("insufficient sender reserve")

// Offered is what a face value is made of.
type Offered struct {
	// TicketEV is what a ticket is to be worth, MaxFloat what the sender's funds
	// carry, MaxFaceValue the operator's own bound, 0 for none.
	TicketEV, MaxFaceValue, MaxFloat core.Wei
	// TxCost is what redeeming costs at this moment: RedeemGas at the gas price.
	TxCost    core.Wei
	RedeemGas protocol.Gas
}

// FaceValue returns what a ticket pays when it wins: a hundred times what redeeming it
// costs, or less where the sender's funds or the operator set a bound. The error is
// the fault InsufficientSenderReserve: no ticket is worth redeeming.
func FaceValue(in Offered) (core.Wei, error) {
	ev, txCost := in.TicketEV.Big(), in.TxCost.Big()
	v := times(txCost, costMultiple)
	if v.Cmp(ev) < 0 {
		v = times(ev, costMultiple)
	}
	if most := in.MaxFloat.Big(); v.Cmp(most) > 0 {
		v = most
	}
	if bound := in.MaxFaceValue.Big(); bound.Sign() > 0 && bound.Cmp(v) < 0 {
		v = bound
	}
	fair := new(big.Int).Mul(new(big.Int).SetUint64(uint64(in.RedeemGas)), big.NewInt(fairGasPrice))
	if v.Cmp(ev) < 0 || v.Cmp(txCost) < 0 && v.Cmp(fair) < 0 {
		return core.Wei{}, fault.Wrap(fault.InsufficientSenderReserve, "choose a ticket's face value", ErrSenderReserve)
	}
	return core.WeiOf(v) // MaxFloat is one, so v is in range
}

func times(n *big.Int, by int64) *big.Int { return new(big.Int).Mul(n, big.NewInt(by)) }

// WinProb returns the probability at which a ticket is worth ticketEV. It is rounded up,
// so that a ticket is never worth less: a sender that pays exactly one would miss
// the balance by a hair. A face value of no more than ticketEV wins always.
func WinProb(faceValue, ticketEV core.Wei) protocol.Word {
	if faceValue.IsZero() {
		return protocol.Word{}
	}
	q, rest := new(big.Int).QuoRem(maxWinProb(), faceValue.Big(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	q.Mul(q, ticketEV.Big())
	if certain := maxWinProb(); faceValue.Cmp(ticketEV) <= 0 || q.Cmp(certain) > 0 {
		q = certain
	}
	w, _ := protocol.WordOf(q)
	return w
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
