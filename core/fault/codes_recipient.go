package fault

// The orchestrator's side of being paid, besides what it refuses of single tickets.
const (
	// PaymentSenderOther (payment): a payment is not from the account that the quote was made
	// for.
	PaymentSenderOther Code = "PaymentSenderOther"
	// TicketParamsMissing (payment): tickets without what they were made with.
	TicketParamsMissing Code = "TicketParamsMissing"
	// AccountsFull (busy): the memory for balances is full.
	AccountsFull Code = "AccountsFull"
	// TicketSetsFull (busy): the memory for ticket parameters is full.
	TicketSetsFull Code = "TicketSetsFull"
)

// recipientRows are the orchestrator's side of being paid. Read-only.
var recipientRows = []Row{
	{
		Code: PaymentSenderOther, Class: Payment,
		Symptom: "HTTP 400 `Could not find Sender for payment: …`",
		Cause:   "A payment is from another gateway than the one that the session and its price were made for.",
		Remedy: "None at the orchestrator. A gateway that changed its account asks for a new offer; anything " +
			"else is an attempt to use another's session.",
		Wire: "Could not find Sender for payment: " + detailMark, Retryable: true,
	},
	{
		Code: TicketParamsMissing, Class: Payment,
		Symptom: "HTTP 400 `missing ticket params`",
		Cause:   "A payment has tickets and not the parameters that they were made with.",
		Remedy:  "None at the orchestrator; the gateway is defective: its operator updates it.",
		Wire:    "missing ticket params",
	},
	{
		Code: AccountsFull, Class: Busy,
		Cause: "As many balances are open as the node keeps, in all or of one gateway. Each is closed 10 " +
			"minutes after its last job, so this many sessions at once are no ordinary load.",
		Remedy: "Look on the page at which gateway opens them: one that starts a session for each request is " +
			"defective. Others are not affected until the limit of all is reached.", Retryable: true,
	},
	{
		Code: TicketSetsFull, Class: Busy,
		Cause: "Tickets came with more different parameters within 8 minutes than the node keeps, in all or of " +
			"one gateway. A set of them is not forgotten before it expires, because its tickets could be " +
			"used again.",
		Remedy: "None needed for a short time: sets go as they expire. If it lasts, see that the layer-1 height " +
			"on the page advances: while the layer-2 endpoint is stuck, nothing expires.", Retryable: true,
	},
}
