package pm

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// opCheck is the operation in faults about a payment.
const opCheck = "check payment"

// Terms returns the payment's parameters as its tickets were made with them: with the
// payment's own expiration, as the network has it. It must not be called without
// parameters.
func (p *Payment) Terms() Params {
	terms := *p.Params
	terms.Expiration = p.Expiration
	return terms
}

// price returns what the sender expects, free where it says nothing.
func (p *Payment) price() Price {
	if p.Expected == nil {
		return Price{}
	}
	return *p.Expected
}

// Check compares a payment with the quote of its request: the price must be the one
// quoted, also where no tickets came, and tickets must have a sender and a round.
// Errors are faults ExpectedPriceWrong, PaymentSenderMissing and
// PaymentExpirationMissing.
func (p *Payment) Check(quote *Quote) error {
	switch {
	case p.Expected == nil:
		return WrongPrice("expected price is missing or not a price")
	case !p.Expected.Equal(quote.Price):
		return WrongPrice(fmt.Sprintf("expected price %s is not the quoted %s", p.Expected, quote.Price))
	case p.Params == nil:
		return nil
	case p.Sender.IsZero():
		return fault.New(fault.PaymentSenderMissing, opCheck, "Could not find Sender for payment: no sender in it")
	case !p.HasExpiration:
		return fault.New(fault.PaymentExpirationMissing, opCheck, "")
	}
	return nil
}

// WrongPrice is the fault ExpectedPriceWrong; why must not hold anything secret. It
// also is what a quote that does not cover the job's model is answered with.
func WrongPrice(why string) error {
	return fault.New(fault.ExpectedPriceWrong, opCheck, fmt.Sprintf("invalid expected price sent with payment err=%q",
		why))
}

// NotActive is the fault NotActiveForPayment.
func NotActive(recipient core.Address, round protocol.Round) error {
	return fault.New(fault.NotActiveForPayment, opCheck,
		fmt.Sprintf("orchestrator %s is inactive in round %d, cannot process payments", recipient, round))
}

// UnknownFunds is the fault SenderFundsUnknown. Of the cause peers learn only its
// public text.
func UnknownFunds(sender core.Address, err error) error {
	_, text := fault.Public(err)
	return &fault.Fault{Code: fault.SenderFundsUnknown, Op: opCheck, Err: err,
		Detail: fmt.Sprintf("could not get sender info for %s: %s", sender, text)}
}

func refusedNonce(code fault.Code, sender core.Address, nonce uint32, why error) error {
	return fault.New(code, opCheck, fmt.Sprintf("invalid ticket senderNonce: %v sender=%s nonce=%d", why, sender, nonce))
}
