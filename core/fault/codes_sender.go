package fault

// A gateway's paying, besides what single tickets are refused for.
const (
	// SpentFailed (class Internal, retryable): what is paid cannot be written down,
	// so nothing is paid.
	SpentFailed Code = "SpentFailed"
	// TicketsTooMany (class Upstream, retryable): a piece of work would take more
	// tickets than one payment may hold.
	TicketsTooMany Code = "TicketsTooMany"
	// TicketParamsTooMany (class Upstream, retryable): one orchestrator hands out
	// more sets of ticket parameters than are kept.
	TicketParamsTooMany Code = "TicketParamsTooMany"
	// SessionsTooMany (class Upstream, retryable): one orchestrator, or all together,
	// have begun more sessions than are kept in mind.
	SessionsTooMany Code = "SessionsTooMany"
	// PaidWorkMissing (class Payment, retryable): an orchestrator was paid more than it
	// has worked for than -maxCreditEV allows; it is paid nothing more for a while.
	PaidWorkMissing Code = "PaidWorkMissing"
	// CreditInUse (class Busy, retryable): the jobs that an orchestrator was paid for and
	// is doing come to what -maxCreditEV allows.
	CreditInUse Code = "CreditInUse"
	// CreditUnknown (class NotFound): no orchestrator of that name was paid recently.
	CreditUnknown Code = "CreditUnknown"
	// PaymentUnsigned (class Internal, retryable): the account's key gave no
	// signature.
	PaymentUnsigned Code = "PaymentUnsigned"
)

// senderRows are a gateway's paying. Read-only.
var senderRows = []Row{
	{
		Code: SpentFailed, Class: Internal,
		Cause: "The gateway could not write down what it pays: the disk is full, the data directory is not " +
			"writable, or another process holds tutti.db. It sends no payment that is not written down, so " +
			"paid jobs fail meanwhile.",
		Remedy: "Free space on the disk of `-dataDir`, check its owner, and that one process uses it. Payments go " +
			"on by themselves.", Retryable: true,
	},
	{
		Code: TicketsTooMany, Class: Upstream,
		Cause: "An orchestrator's tickets are worth so little against its price that one piece of work would " +
			"take more of them than a payment may hold.",
		Remedy: "None needed, the gateway goes elsewhere; that orchestrator's operator raises its `-ticketEV` or " +
			"lowers its price. Shorter segments need fewer tickets.", Retryable: true,
	},
	{
		Code: TicketParamsTooMany, Class: Upstream,
		Cause: "An orchestrator has handed out more sets of ticket parameters that have not expired than the " +
			"gateway keeps. A set is not forgotten before it expires, because its tickets' numbers must not " +
			"be used again.",
		Remedy: "None needed for one orchestrator: others are used. If it concerns all, see that the layer-1 " +
			"height in `tutti_cli status` advances: while the layer-2 endpoint is stuck, nothing expires.",
		Retryable: true,
	},
	{
		Code: SessionsTooMany, Class: Upstream,
		Cause: "The gateway keeps in mind the balance and the first price of each session with an orchestrator, " +
			"up to a bound for each orchestrator and one for all. The one that the detail names has begun " +
			"more sessions than that within half an hour.",
		Remedy: "None needed for one orchestrator: others are used, and what is idle is forgotten within half an " +
			"hour. If it happens again with the same one, take it off with `-orchBlocklist`.", Retryable: true,
	},
	{
		Code: PaidWorkMissing, Class: Payment,
		Cause: "An orchestrator, which the condition names, was paid for work that it did not do: it " +
			"refused or failed jobs after the payment, returned nothing usable, " +
			"or took large tickets in ever new sessions. It holds more than `-maxCreditEV`, and more " +
			"than it worked for recently. The gateway pays it no further tickets; streams and jobs go to " +
			"others. " +
			"What clients alone caused, by input that cannot be decoded or by leaving, does not count here. " +
			"Half of what it holds is forgiven every hour, and it is used again when it holds half of what " +
			"is allowed.",
		Remedy: "No action needed while other orchestrators serve. `tutti_cli spending credits` shows what " +
			"each one holds. " +
			"If it was an accident of an orchestrator that you trust, run `tutti_cli spending forgive " +
			"ORCHESTRATOR`; otherwise exclude it with `-orchBlocklist`.",
		Retryable: true,
	},
	{
		Code: CreditInUse, Class: Busy,
		Cause: "The payments for jobs in progress at one orchestrator come to `-maxCreditEV` and what it " +
			"worked for recently, or one client's (a key, an address, a stream of this machine) to an " +
			"eighth of that and what it worked for the client. " +
			"What was paid for input that cannot be decoded and for jobs that clients left counts too, until " +
			"work uses it up or it is forgiven, half of it every hour. The next jobs go to other " +
			"orchestrators, or to this one when it has finished some.",
		Remedy: "No action needed while it passes: the allowance grows with the work done. If it lasts and " +
			"the detail names bad input and jobs that were left, look for the client in the segment and " +
			"request lines of the log, and stop it. " +
			"Otherwise raise `-maxCreditEV` to what all jobs in progress at one orchestrator cost together, " +
			"and to eight times what one client's cost.", Retryable: true,
	},
	{
		Code: CreditUnknown, Class: NotFound,
		Cause: "The gateway paid no orchestrator of that name recently, or it holds nothing.",
		Remedy: "Write the name as `tutti_cli spending credits` shows it: the account, or the address for an " +
			"orchestrator that is not on the chain.",
	},
	{
		Code: PaymentUnsigned, Class: Internal,
		Cause: "The account's key did not sign a ticket or a request; the message says why. As a rule the key " +
			"could not be unlocked.",
		Remedy:    "Check `-ethAcctAddr`, `-ethKeystorePath` and `-ethPassword`, and start the gateway again.",
		Retryable: true,
	},
}
