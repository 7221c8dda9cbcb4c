package fault

// What an orchestrator refuses about a payment. Wire: the texts that gateways of
// the network compare, with the facts in the detail where there are any.
const (
	// SenderFundsUnknown (payment): the sender's deposit and reserve cannot be read.
	SenderFundsUnknown Code = "SenderFundsUnknown"
	// SenderUnlockingSoon (payment): the sender's funds are about to be unlocked.
	SenderUnlockingSoon Code = "SenderUnlockingSoon"
	// TicketForAnother (payment): the ticket pays another orchestrator.
	TicketForAnother Code = "TicketForAnother"
	// TicketSenderMissing (payment): the ticket names no sender.
	TicketSenderMissing Code = "TicketSenderMissing"
	// TicketParamsForeign (payment): the parameters are not ones that this node gave
	// to that sender at that price.
	TicketParamsForeign Code = "TicketParamsForeign"
	// TicketSignatureInvalid (payment): the sender did not sign the ticket.
	TicketSignatureInvalid Code = "TicketSignatureInvalid"
	// TicketNonceSeen (payment): a ticket of that number was credited before.
	TicketNonceSeen Code = "TicketNonceSeen"
	// TicketNonceTooMany (payment): one set of parameters was used for too many
	// tickets.
	TicketNonceTooMany Code = "TicketNonceTooMany"
	// ExpectedPriceWrong (payment): the price in the payment is not the one quoted.
	ExpectedPriceWrong Code = "ExpectedPriceWrong"
	// PaymentSenderMissing (payment): there are tickets and nobody who sends them.
	PaymentSenderMissing Code = "PaymentSenderMissing"
	// PaymentExpirationMissing (payment): the payment does not say of which round
	// its tickets are.
	PaymentExpirationMissing Code = "PaymentExpirationMissing"
	// NotActiveForPayment (payment): this orchestrator is not in the active set.
	NotActiveForPayment Code = "NotActiveForPayment"
	// InsufficientSenderReserve (payment): the sender's reserve carries no ticket
	// that is worth redeeming.
	InsufficientSenderReserve Code = "InsufficientSenderReserve"
)

// Why a gateway does not pay an orchestrator.
const (
	// TicketParamsUnusable (upstream): the orchestrator's parameters cannot be paid
	// with.
	TicketParamsUnusable Code = "TicketParamsUnusable"
	// TicketFaceValueLow (upstream): a ticket would be worth no less than it can
	// win.
	TicketFaceValueLow Code = "TicketFaceValueLow"
	// TicketEVHigh (payment): one ticket is worth more than allowed.
	TicketEVHigh Code = "TicketEVHigh"
	// RequestTooExpensive (bad request): one AI request costs more than the gateway
	// pays for one. Remedy: lower max_tokens.
	RequestTooExpensive Code = "RequestTooExpensive"
	// TicketTotalEVHigh (payment): a payment is worth more than allowed.
	TicketTotalEVHigh Code = "TicketTotalEVHigh"
	// TicketFaceValueHigh (payment): a ticket can win more than the deposit carries.
	TicketFaceValueHigh Code = "TicketFaceValueHigh"
	// OwnFundsUnlocking (payment): our deposit and reserve are about to be unlocked.
	OwnFundsUnlocking Code = "OwnFundsUnlocking"
	// OwnDepositEmpty (payment): our deposit is used up.
	OwnDepositEmpty Code = "OwnDepositEmpty"
	// OwnReserveEmpty (payment): our reserve is used up.
	OwnReserveEmpty Code = "OwnReserveEmpty"
	// PriceRaised (payment): the orchestrator more than doubled its price since the
	// session began.
	PriceRaised Code = "PriceRaised"
)
