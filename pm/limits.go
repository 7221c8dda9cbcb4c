package pm

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// opPay is what is attempted when a gateway does not pay.
const opPay = "make payment"

// Limits are what a gateway's operator allows.
type Limits struct {
	// MaxEV bounds one ticket's expected value, MaxTotalEV a payment's.
	MaxEV, MaxTotalEV core.Wei
	// MaxCredit bounds what one orchestrator may have been paid without having worked for
	// it, besides as much as it worked for recently; zero knows no bound.
	MaxCredit core.Wei
	// DepositMultiplier is how many winning tickets the deposit must carry; less
	// than 1 counts as 1.
	DepositMultiplier int
}

// String says what of a gateway's money an orchestrator can get at once, whatever its
// price is.
func (l Limits) String() string {
	part := "the deposit"
	if l.DepositMultiplier > 1 {
		part = fmt.Sprintf("a %dth of the deposit", l.DepositMultiplier)
	}
	return fmt.Sprintf("one ticket is worth at most %s wei on average (-maxTicketEV), "+
		"the tickets of one payment %s wei (-maxTotalEV), "+
		"an orchestrator is paid at most %s wei ahead of its work (-maxCreditEV), "+
		"a ticket that wins pays at most %s (-depositMultiplier), "+
		"and all of them together the deposit and the reserve", l.MaxEV, l.MaxTotalEV, l.MaxCredit, part)
}

// CheckSender says whether n tickets may be sent, in the network's order: the
// ticket's worth, our funds, the payment's worth, the deposit. Tickets without value
// may always be sent. round is the present one. Errors are the faults of a gateway
// that does not pay.
func CheckSender(p *Params, n int, funds protocol.Sender, round protocol.Round, l Limits) error {
	ev := p.EV()
	if ev.Sign() <= 0 {
		return nil
	}
	switch {
	case ev.Cmp(WeiValue(p.FaceValue)) >= 0:
		return fault.New(fault.TicketFaceValueLow, opPay, "ticket faceValue too low")
	case ev.Cmp(WeiValue(l.MaxEV)) > 0:
		return fault.New(fault.TicketEVHigh, opPay, fmt.Sprintf("ticket EV of %s wei is higher than the allowed %s", ev,
			l.MaxEV))
	}
	if err := checkFunds(funds, round); err != nil {
		return err
	}
	if total := ev.Times(int64(n)); total.Cmp(WeiValue(l.MaxTotalEV)) > 0 {
		return fault.New(fault.TicketTotalEVHigh, opPay,
			fmt.Sprintf("%d tickets of %s wei are worth more than the allowed %s", n, ev, l.MaxTotalEV))
	}
	if most := depositLimit(funds.Deposit, l.DepositMultiplier); p.FaceValue.Big().Cmp(most) > 0 {
		return fault.New(fault.TicketFaceValueHigh, opPay,
			fmt.Sprintf("ticket face value of %s wei is more than the deposit carries, %s", p.FaceValue, most))
	}
	return nil
}
