package fault

// The orchestrator's side of being paid, beside what it refuses of single tickets.
const (
	// PaymentSenderOther (payment): a payment is not from whom the quote was made
	// for.
	PaymentSenderOther Code = "PaymentSenderOther"
	// TicketParamsMissing (payment): tickets without what they were made with.
	TicketParamsMissing Code = "TicketParamsMissing"
	// AccountsFull (busy): no room for one more balance.
	AccountsFull Code = "AccountsFull"
	// TicketSetsFull (busy): no room for one more set of ticket parameters.
	TicketSetsFull Code = "TicketSetsFull"
)
