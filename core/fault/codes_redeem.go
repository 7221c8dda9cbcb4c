package fault

// Turning winning tickets into money.
const (
	// SendersUnread: too many addresses wait for their funds to be read.
	SendersUnread Code = "SendersUnread"
	// RedeemTooDear: redeeming the ticket costs more than it brings.
	RedeemTooDear Code = "RedeemTooDear"
	// RedeemUnfunded: the sender's funds carry nothing of the ticket.
	RedeemUnfunded Code = "RedeemUnfunded"
	// RedemptionQueued: other tickets are redeemed first.
	RedemptionQueued Code = "RedemptionQueued"
	// PayoutUnknown: the ticket is used, and no log says what it paid.
	PayoutUnknown Code = "PayoutUnknown"
	// TicketForeign: the ticket is another orchestrator's.
	TicketForeign Code = "TicketForeign"
	// RedeemerFull: as many tickets of one sender wait as may.
	RedeemerFull Code = "RedeemerFull"
	// TicketUnknown: no winning ticket has that hash.
	TicketUnknown Code = "TicketUnknown"
	// TicketNotFailed: only a ticket that failed can be retried.
	TicketNotFailed Code = "TicketNotFailed"
	// TicketExpiring: winning tickets are about to lose their value.
	TicketExpiring Code = "TicketExpiring"
	// TicketsLost: winning tickets ended without money lately.
	TicketsLost Code = "TicketsLost"
	// RedemptionFailing: tickets cannot be redeemed, for a while already.
	RedemptionFailing Code = "RedemptionFailing"
	// WinnerDisputed: endpoints say that the contract refuses a ticket that it takes.
	WinnerDisputed Code = "WinnerDisputed"
	// SenderFundsLow: a gateway's funds are less than what it owes.
	SenderFundsLow Code = "SenderFundsLow"
)
