package fault

// What can go wrong around the payment of a job that is none of the payment's own
// faults.
const (
	// ReplyTermsFailed (class Payment). Wire: "Internal Server Error".
	// Cause: an answer carries new ticket parameters, and there are none for this
	// gateway any more. Remedy: none at the orchestrator.
	ReplyTermsFailed Code = "ReplyTermsFailed"
	// InputKeepsFailing (class Forbidden). Wire: "OrchestratorCapped".
	// Cause: much of a gateway's input came to nothing after long work, which is not
	// billed. Remedy: none, as a rule; it gets work again after some minutes.
	InputKeepsFailing Code = "InputKeepsFailing"
)
