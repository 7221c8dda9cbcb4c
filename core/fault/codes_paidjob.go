package fault

// What can go wrong around the payment of a job that is none of the payment's own
// faults.
const (
	// ReplyTermsFailed (class Payment). Wire: "Internal Server Error".
	// Cause: an answer carries new ticket parameters, and there are none for this
	// gateway any more. Remedy: none at the orchestrator.
	ReplyTermsFailed Code = "ReplyTermsFailed"
)
