package fault

// paidJobRows are the conditions around the payment of a job.
var paidJobRows = []Row{
	{
		Code: ReplyTermsFailed, Class: Payment,
		Cause:  "Every answer to a segment carries new ticket parameters, and none could be made for this gateway: as a rule its reserve does not carry a ticket any more. The cause stands behind the code in the log.",
		Remedy: "None at the orchestrator if it is one gateway, whose operator adds to its reserve. If every gateway is refused, lower `-ticketEV`, or check that `-ethUrl` answers.",
		Wire:   "Internal Server Error", Retryable: true,
	},
}
