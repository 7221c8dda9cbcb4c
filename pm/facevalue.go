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
