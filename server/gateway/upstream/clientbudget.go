package upstream

import (
	"context"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// fundedPayment is a payment whose cost is taken from a client's funds.
type fundedPayment struct {
	ticketPayment
	settle func(spent core.Wei, lost bool)
	done   atomic.Bool
}

// Settle settles the payment, and then the funds: by what the payment cost, in whole wei, rounded up.
func (p *fundedPayment) Settle(how sender.Outcome, units int64) {
	p.ticketPayment.Settle(how, units)
	if !p.done.Swap(true) {
		p.settle(p.Charge(), how != sender.Served)
	}
}

// hold takes a price from the funds of a context; nil without one.
func hold(ctx context.Context, price pm.Value) (settle func(core.Wei, bool), err error) {
	funds := inference.FundsOf(ctx)
	if funds == nil {
		return nil, nil
	}
	return funds.Hold(wholeWei(price))
}

// wholeWei rounds up.
func wholeWei(v pm.Value) core.Wei {
	w, _ := core.WeiOf(v.Ceil()) // a payment is neither negative nor larger than all ether
	return w
}
