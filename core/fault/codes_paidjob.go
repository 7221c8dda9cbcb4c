package fault

// What can go wrong around the payment of a job that is none of the payment's own
// faults.
const (
	// ReplyTermsFailed (class Payment). Wire: "Internal Server Error".
	ReplyTermsFailed Code = "ReplyTermsFailed"
	// InputKeepsFailing (class Forbidden). Wire: "OrchestratorCapped".
	InputKeepsFailing Code = "InputKeepsFailing"
)

// paidJobRows are the conditions around the payment of a job. Read-only.
var paidJobRows = []Row{
	{
		Code: ReplyTermsFailed, Class: Payment,
		Cause: "Every answer to a segment carries new ticket parameters, and none could be made for this " +
			"gateway: usually its reserve does not cover a ticket any more. The cause follows the " +
			"code in the log.",
		Remedy: "None at the orchestrator if it is one gateway, whose operator adds to its reserve. If every " +
			"gateway is refused, lower `-ticketEV`, or check that `-ethUrl` answers.",
		Wire: "Internal Server Error", Retryable: true,
	},
	{
		Code: InputKeepsFailing, Class: Forbidden,
		Cause: "A gateway sent segments that failed late, again and again: they could not be decoded to their " +
			"end, or took longer than their time; or several bodies from one address were not the bytes that " +
			"it had signed. Such work is not billed, so a gateway gets no more of it than half a minute " +
			"beyond what its good segments make up for. Gateways see `OrchestratorCapped`.",
		Remedy: "None at the orchestrator if it is one gateway: it gets work again within ten minutes, and looks " +
			"into its streams. If it shows for every gateway, a device produces empty renditions: look for " +
			"ZeroSegments in the log and take the device out.",
		Wire: "OrchestratorCapped", Retryable: true,
	},
}
