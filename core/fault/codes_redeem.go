package fault

// Turning winning tickets into money.
const (
	// SendersUnread: too many addresses wait for their funds to be read.
	SendersUnread Code = "SendersUnread"
	// RedeemTooDear: redeeming the ticket costs more than it pays.
	RedeemTooDear Code = "RedeemTooDear"
	// RedeemUnfunded: the sender's funds cover nothing of the ticket.
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

// redeemRows are about turning winning tickets into money. Read-only.
var redeemRows = []Row{
	{
		Code: SendersUnread, Class: Busy,
		Cause: "More addresses without known funds were named to this node at once than it reads from the " +
			"chain. A peer names addresses that do not exist, or the RPC endpoints are very slow.",
		Remedy: "None needed if it passes. If it stays, look at the connections for one client that makes many " +
			"requests with many addresses, and at the state of the endpoints of `-ethUrl`.", Retryable: true,
	},
	{
		Code: RedeemTooDear, Class: Payment,
		Cause: "At the present gas price, redeeming this winning ticket costs more than it would pay.",
		Remedy: "None needed: it is redeemed when gas is cheaper, while it is valid. If it repeats, raise " +
			"`-ticketEV`, so that fewer tickets win and each is worth more; gas is paid from the node's " +
			"account.", Retryable: true,
	},
	{
		Code: RedeemUnfunded, Class: Payment,
		Cause: "The gateway's deposit, and the share of its reserve that this orchestrator may still claim in " +
			"this round, are used up or promised to more valuable tickets of the same gateway.",
		Remedy: "None needed: the ticket is redeemed when the gateway adds to its deposit, or in the next round, " +
			"when the share of the reserve is fresh. Ask the gateway's operator to fund it before the ticket " +
			"expires.", Retryable: true,
	},
	{
		Code: RedemptionQueued, Class: Payment,
		Cause: "Tickets whose time ends earlier, or that are worth more, are redeemed before this winning ticket.",
		Remedy: "None needed while few tickets wait. If it repeats, raise `-ticketEV`, so that fewer tickets win " +
			"and each is worth more, and list faster endpoints in `-ethUrl`.", Retryable: true,
	},
	{
		Code: PayoutUnknown, Class: Payment,
		Cause: "The ticket broker has this ticket as redeemed, and no log that the RPC endpoints gave says by " +
			"which transaction and for how much.",
		Remedy: "Look at the fees that the account has earned (`tutti_cli`) and at the ticket broker's " +
			"WinningTicketRedeemed events for it in a block explorer. An endpoint in `-ethUrl` that keeps " +
			"older logs lets the node find it: then retry the ticket.", Retryable: true,
	},
	{
		Code: TicketForeign, Class: Forbidden,
		Cause: "A winning ticket was handed to this redeemer that pays another orchestrator than the one it " +
			"works for.",
		Remedy: "Start the redeemer with the `-ethOrchAddr` of the orchestrators that use it, or point the " +
			"orchestrator's `-redeemerAddr` to a redeemer of its own.",
	},
	{
		Code: RedeemerFull, Class: Busy,
		Cause: "As many winning tickets of one gateway wait at this redeemer as it takes. So many real winners " +
			"are unlikely: the gateway may be signing tickets that its funds will never pay.",
		Remedy: "Look at the gateway's deposit and reserve. The orchestrator that offered the ticket keeps it " +
			"and offers it again.", Retryable: true,
	},
	{
		Code: TicketUnknown, Class: NotFound,
		Cause:  "No winning ticket with that hash is in the ledger.",
		Remedy: "List the tickets to find the hash; tickets of rounds long past are in the archive.",
	},
	{
		Code: TicketNotFailed, Class: BadRequest,
		Cause: "Only a ticket whose redemption failed, or that ended as expired, can be retried. This one is on " +
			"its way or was paid.",
		Remedy: "None needed: a ticket that is on its way is retried by itself.",
	},
	{
		Code: TicketExpiring, Class: Payment,
		Cause: "Winning tickets that were not redeemed yet lose their value soon: the last round in which the " +
			"ticket broker takes them is ending. The message names the amount, when the first of it is lost " +
			"and what holds that up.",
		Remedy: "See what holds it up: without funds of the gateway ask its operator to add to its deposit, " +
			"without ether for gas fund the node's account, when gas is expensive, raise `-maxGasPrice`; RPC " +
			"endpoints that fail have a condition of their own.", Retryable: true,
	},
	{
		Code: TicketsLost, Class: Payment,
		Cause: "Winning tickets expired, or cannot be redeemed, and their value is lost. The message names the " +
			"amount, how many within a day, and why the last one was not redeemed in time.",
		Remedy: "Follow the remedy of the reason's own code, so that no more are lost: ether for gas in the " +
			"node's account, `-maxGasPrice`, the gateway's funds, the RPC endpoints of `-ethUrl`. What has " +
			"failed and not expired can be retried with `tutti_cli`. The message goes a day after the last " +
			"loss.",
	},
	{
		Code: RedemptionFailing, Class: Upstream,
		Cause: "Winning tickets are ready to be redeemed, and every attempt has failed for a while, or the " +
			"account has no ether for gas; the message has the reason of the last one. Nothing is lost yet.",
		Remedy: "Follow the remedy of the reason's own code. If it speaks of the account, fund it; if of the " +
			"endpoints, add another to `-ethUrl`.", Retryable: true,
	},
	{
		Code: WinnerDisputed, Class: Upstream,
		Cause: "An RPC endpoint answered that the ticket broker refuses a winning ticket for its signature, its " +
			"secret number or its draw. The node checked these itself when the ticket came, and again now: " +
			"they are right, so the endpoint is wrong. The ticket stays in the queue.",
		Remedy: "Take the endpoint out of `-ethUrl` that gives the answer, or have at least three endpoints of " +
			"different providers there: then the node asks several, and names the one that is wrong.", Retryable: true,
	},
	{
		Code: SenderFundsLow, Class: Payment,
		Cause: "A gateway's deposit and the share of its reserve that this orchestrator may claim are less than " +
			"the face values of its winning tickets that wait here: not all of them will be paid in full.",
		Remedy: "Ask the gateway's operator to add to its deposit. The most valuable tickets are redeemed first. " +
			"New tickets are limited by what its funds still carry.", Retryable: true,
	},
}
