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
	// PaymentSenderMissing (payment): there are tickets without a sender.
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
	// RequestTooExpensive (bad request): one AI request costs more than the gateway pays for one.
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

// ticketRows are the conditions of tickets and payments, at both ends. Read-only.
var ticketRows = []Row{
	{
		Code: SenderFundsUnknown, Class: Payment,
		Symptom: "HTTP 400 `could not get sender info for …`",
		Cause: "The deposit and reserve of the gateway that pays could not be read from the chain, so its " +
			"tickets were not taken.",
		Remedy: "Check the layer-2 endpoint of `-ethUrl`; the gateway goes elsewhere and comes back.",
		Wire:   detailMark, Retryable: true,
	},
	{
		Code: SenderUnlockingSoon, Class: Payment,
		Symptom: "HTTP 400 `deposit and reserve for sender … is set to unlock soon`",
		Cause: "The gateway that pays is taking its deposit and reserve out. Its tickets could win after the " +
			"money has left.",
		Remedy: "None at the orchestrator. The gateway's operator cancels the unlock, or funds the deposit, " +
			"which cancels it too.",
		Wire: detailMark,
	},
	{
		Code: TicketForAnother, Class: Payment,
		Symptom: "HTTP 400 `invalid ticket recipient`",
		Cause: "A ticket pays another account than this orchestrator's: the gateway mixed up two orchestrators, " +
			"or `-ethOrchAddr` was changed while gateways still held older terms.",
		Remedy: "None needed after a change of `-ethOrchAddr`, gateways ask for new terms within 8 minutes; if " +
			"it lasts, compare `-ethOrchAddr` of all nodes behind the same service address.",
		Wire: "invalid ticket recipient",
	},
	{
		Code: TicketSenderMissing, Class: Payment,
		Symptom: "HTTP 400 `invalid ticket sender`",
		Cause:   "A payment has tickets of the zero address: the gateway is defective or runs off-chain.",
		Remedy:  "None at the orchestrator.",
		Wire:    "invalid ticket sender",
	},
	{
		Code: TicketParamsForeign, Class: Payment,
		Symptom: "HTTP 400 `invalid recipientRand for ticket recipientRandHash`",
		Cause: "The terms of a ticket are not ones that this node gave to that gateway at that price: they were " +
			"changed on the way, are another node's behind the same address, or are older than the node " +
			"remembers.",
		Remedy: "None needed after a restart, gateways ask for new terms. If it lasts, see that each node has a " +
			"service address of its own; two nodes of one account must not stand behind one balancer.",
		Wire: "invalid recipientRand for ticket recipientRandHash",
	},
	{
		Code: TicketSignatureInvalid, Class: Payment,
		Symptom: "HTTP 400 `invalid ticket signature`",
		Cause:   "A ticket is not signed by the gateway that the payment names.",
		Remedy:  "None at the orchestrator; the gateway's operator checks its account.",
		Wire:    "invalid ticket signature",
	},
	{
		Code: TicketNonceSeen, Class: Payment,
		Symptom: "HTTP 400 `invalid ticket senderNonce: already seen …`",
		Cause: "A ticket was paid with before. A gateway that sends the same request again causes it, and two " +
			"gateways that share one account.",
		Remedy: "None at the orchestrator; if it repeats for one gateway, its operator gives each process an " +
			"account of its own.",
		Wire: detailMark, Retryable: true,
	},
	{
		Code: TicketNonceTooMany, Class: Payment,
		Symptom: "HTTP 400 `invalid ticket senderNonce: too many values …`",
		Cause: "A gateway numbers its tickets beyond 1048575 under one set of terms; honest gateways count from " +
			"1 and get new terms every few minutes.",
		Remedy: "None needed; if it repeats, that gateway is defective.",
		Wire:   detailMark, Retryable: true,
	},
	{
		Code: ExpectedPriceWrong, Class: Payment,
		Symptom: "HTTP 400 `invalid expected price sent with payment err=…`",
		Cause: "The price in a payment is missing or is not the one that was quoted with the auth token, or the " +
			"quote is not for this kind of work.",
		Remedy: "None needed after a change of prices: the gateway asks for a new offer. If it repeats, that " +
			"gateway is defective.",
		Wire: detailMark, Retryable: true,
	},
	{
		Code: PaymentSenderMissing, Class: Payment,
		Symptom: "HTTP 400 `Could not find Sender for payment: …`",
		Cause:   "A payment has tickets and does not name their sender.",
		Remedy:  "None at the orchestrator; the gateway is defective or runs off-chain.",
		Wire:    detailMark,
	},
	{
		Code: PaymentExpirationMissing, Class: Payment,
		Symptom: "HTTP 400 `missing expiration params`",
		Cause:   "A payment has tickets and does not say of which round they are.",
		Remedy:  "None at the orchestrator; the gateway is defective or older than rounds in tickets.",
		Wire:    "missing expiration params",
	},
	{
		Code: NotActiveForPayment, Class: Payment,
		Symptom: "HTTP 400 `orchestrator … is inactive in round …, cannot process payments`",
		Cause:   "This orchestrator is not in the active set of this round, so that tickets could not be redeemed.",
		Remedy: "See `tutti_cli status`: bond more stake than the last member of the pool has, and wait for the " +
			"next round. Until then gateways are served by others.",
		Wire: detailMark, Retryable: true,
	},
	{
		Code: InsufficientSenderReserve, Class: Payment,
		Symptom: "`insufficient sender reserve`",
		Cause: "The share of the gateway's reserve that is this orchestrator's carries no ticket that would " +
			"pay more than redeeming it costs: the reserve is small, most of it was drawn in this round, " +
			"or gas is expensive. Or deposit and share do not pay what the tickets of a payment are worth " +
			"in addition to the gateway's unpaid winning tickets.",
		Remedy: "The gateway's operator adds to its reserve. If every gateway is refused, lower `-ticketEV` or " +
			"wait until gas is cheaper; see the gas price in `tutti_cli status`.",
		Wire: "insufficient sender reserve", Retryable: true,
	},
	{
		Code: TicketParamsUnusable, Class: Upstream,
		Symptom: "no payment to one orchestrator; the detail says which field",
		Cause: "An orchestrator's ticket parameters are incomplete or impossible, so that no ticket can be made " +
			"with them.",
		Remedy:    "None needed, the gateway goes elsewhere; the orchestrator's operator updates it.",
		Retryable: true,
	},
	{
		Code: TicketFaceValueLow, Class: Upstream,
		Symptom: "`ticket faceValue too low`",
		Cause: "An orchestrator asks for tickets that win with certainty: what it expects of a ticket is no " +
			"less than what the ticket can win.",
		Remedy: "None needed, the gateway goes elsewhere. It means that this gateway's reserve is hardly more " +
			"than that orchestrator's `-ticketEV`: add to the reserve if many orchestrators do it.",
		Retryable: true,
	},
	{
		Code: TicketEVHigh, Class: Payment,
		Cause:     "An orchestrator asks for tickets of more expected value than this gateway allows.",
		Remedy:    "None needed, the gateway goes elsewhere; raise `-maxTicketEV` if too few orchestrators are left.",
		Retryable: true,
	},
	{
		Code: RequestTooExpensive, Class: BadRequest,
		Cause: "What the request is priced at (`max_tokens`, or the units of an image, a video or sound), " +
			"times the orchestrator's price, is more than this gateway pays for one request.",
		Remedy: "Lower `max_tokens` to the number that the text names, or ask the operator to raise " +
			"`-maxTotalEV` and `-maxCreditEV`.",
	},
	{
		Code: TicketTotalEVHigh, Class: Payment,
		Cause: "What one piece of work costs at an orchestrator is more than this gateway puts into one payment.",
		Remedy: "Raise `-maxTotalEV`, push shorter segments, or lower `-maxPricePerUnit` so that cheaper " +
			"orchestrators are chosen.",
		Retryable: true,
	},
	{
		Code: TicketFaceValueHigh, Class: Payment,
		Cause: "One winning ticket of an orchestrator would take more than the deposit, divided by " +
			"`-depositMultiplier`, carries.",
		Remedy:    "Add to the deposit: `tutti_cli deposit fund`; or lower `-depositMultiplier`.",
		Retryable: true,
	},
	{
		Code: OwnFundsUnlocking, Class: Payment,
		Cause: "This gateway's deposit and reserve are being unlocked. From the round before their last, which " +
			"the detail names, orchestrators take no tickets of it.",
		Remedy: "Cancel with `tutti_cli deposit cancel-unlock`, or add to the deposit, which cancels it too.",
	},
	{
		Code: OwnDepositEmpty, Class: Payment,
		Cause:  "This gateway's deposit is used up, so that it cannot pay.",
		Remedy: "Add to it: `tutti_cli deposit fund`.",
	},
	{
		Code: OwnReserveEmpty, Class: Payment,
		Cause:  "This gateway has no reserve, without which orchestrators take no tickets of it.",
		Remedy: "Add to it: `tutti_cli deposit fund` with a reserve.",
	},
	{
		Code: PriceRaised, Class: Payment,
		Cause:     "An orchestrator asks for more than twice of what it asked for when the session began.",
		Remedy:    "None needed, the gateway goes elsewhere.",
		Retryable: true,
	},
}
