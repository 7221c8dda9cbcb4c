package fault

// senderRows are a gateway's paying.
var senderRows = []Row{
	{
		Code: SpentFailed, Class: Internal,
		Cause:  "The gateway could not write down what it pays: the disk is full, the data directory is not writable, or another process holds tutti.db. It sends no payment that is not written down, so paid jobs fail meanwhile.",
		Remedy: "Make room on the disk of `-dataDir`, check its owner, and that one process uses it. Payments go on by themselves.", Retryable: true,
	},
	{
		Code: TicketsTooMany, Class: Upstream,
		Cause:  "An orchestrator's tickets are worth so little against its price that one piece of work would take more of them than a payment may hold.",
		Remedy: "None needed, the gateway goes elsewhere; that orchestrator's operator raises its `-ticketEV` or lowers its price. Shorter segments need fewer tickets.", Retryable: true,
	},
	{
		Code: TicketParamsTooMany, Class: Upstream,
		Cause:  "An orchestrator has handed out more sets of ticket parameters that have not expired than the gateway keeps. A set is not forgotten before it expires, because its tickets' numbers must not be used again.",
		Remedy: "None needed for one orchestrator: others are used. If it concerns all, see that the layer-1 height in `tutti_cli status` advances: while the layer-2 endpoint is stuck, nothing expires.", Retryable: true,
	},
	{
		Code: SessionsTooMany, Class: Upstream,
		Cause:  "The gateway keeps in mind the balance and the first price of each session with an orchestrator, up to a bound for each orchestrator and one for all. The one that the detail names has begun more sessions than that within half an hour.",
		Remedy: "None needed for one orchestrator: others are used, and what is idle is forgotten within half an hour. If it happens again with the same one, take it off with `-orchBlocklist`.", Retryable: true,
	},
	{
		Code: PaymentUnsigned, Class: Internal,
		Cause:  "The account's key did not sign a ticket or a request; the message says why. As a rule the key could not be unlocked.",
		Remedy: "Check `-ethAcctAddr`, `-ethKeystorePath` and `-ethPassword`, and start the gateway again.", Retryable: true,
	},
}
