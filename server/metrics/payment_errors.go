package metrics

import "github.com/tuttinode/tutti/core/fault"

// The kinds of refused payments, as operators of the existing node graph them.
const (
	errorPrice   = "InvalidPrice"
	errorRand    = "InvalidRecipientRand"
	errorPayment = "PaymentError"
)

// paymentError returns the kind of a fault's code. Face values and win probabilities that
// are not the offered ones have kinds of their own there; here they are parameters
// that this node did not give out, like a foreign random number.
func paymentError(code string) string {
	switch fault.Code(code) {
	case fault.ExpectedPriceWrong:
		return errorPrice
	case fault.TicketParamsForeign:
		return errorRand
	}
	return errorPayment
}
