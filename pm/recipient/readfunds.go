package recipient

import (
	"context"
	"errors"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// fundsState is what a gateway's funds cover at one moment.
type fundsState struct {
	funds protocol.SenderFunds
	// maxFloat is the largest face value that the sender's funds can cover, faceValue what a
	// ticket should pay, and txCost what redeeming it costs.
	maxFloat, faceValue, txCost core.Wei
}

// view returns the chain's state; the fault ChainNotReady means that it was not read yet.
func (r *Recipient) view(op string) (protocol.View, error) {
	v := r.opt.Chain.View()
	if !v.Known {
		return v, fault.New(fault.ChainNotReady, op, "the chain was not read yet")
	}
	return v, nil
}

// readFunds reads a gateway's funds. The error is a fault: InsufficientSenderReserve if they
// cover no ticket worth redeeming, SenderFundsUnknown if they cannot be read.
func (r *Recipient) readFunds(ctx context.Context, view *protocol.View, sender core.Address) (f fundsState, err error) {
	const op = "look at a gateway's funds"
	if f.funds, err = r.opt.Chain.SenderFunds(ctx, sender); err != nil {
		return f, pm.UnknownFunds(sender, err)
	}
	if pm.UnlocksSoon(f.funds.WithdrawRound, view.Round.LastInitialized) {
		return f, fault.Wrap(fault.InsufficientSenderReserve, op, errUnlocking)
	}
	if f.maxFloat, err = r.maxFloat(ctx, view, sender, f.funds); err != nil {
		return f, pm.UnknownFunds(sender, err)
	}
	if f.txCost, err = r.txCost(view); err != nil {
		return f, fault.Wrap(fault.InsufficientSenderReserve, op, err)
	}
	f.faceValue, err = pm.FaceValue(pm.Offered{
		TicketEV: r.opt.TicketEV, MaxFaceValue: r.MaxFaceValue(), MaxFloat: f.maxFloat,
		TxCost: f.txCost, RedeemGas: r.opt.RedeemGas,
	})
	return f, err
}

var errUnlocking = errors.New("the deposit and the reserve are being unlocked")

func (r *Recipient) maxFloat(ctx context.Context, view *protocol.View, sender core.Address,
	funds protocol.SenderFunds) (core.Wei, error) {
	if r.opt.MaxFloat != nil {
		return r.opt.MaxFloat(ctx, sender)
	}
	return pm.MaxFloat(funds, view.PoolSize, r.opt.Pending(sender)), nil
}

// txCost returns what redeeming a ticket costs. The error means a cost above 2^256-1 wei, which no
// funds cover: readFunds reports it as InsufficientSenderReserve.
func (r *Recipient) txCost(view *protocol.View) (core.Wei, error) {
	price := view.Head.BaseFee
	if floor := *r.minGasPrice.Load(); price.Cmp(floor) < 0 {
		price = floor
	}
	gas := new(big.Int).SetUint64(uint64(r.opt.RedeemGas))
	return core.WeiOf(gas.Mul(gas, price.Big()))
}
