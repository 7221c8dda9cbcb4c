package fault

// Defects and interruptions.
const (
	// Unexpected is the code of an error that carries none: our own defect.
	Unexpected Code = "Unexpected"
	// Canceled: the requester no longer wants the work.
	Canceled Code = "Canceled"
	// DeadlineExceeded: the work's time ran out.
	DeadlineExceeded Code = "DeadlineExceeded"
)

// generalRows are the conditions that belong to no part. Read-only.
var generalRows = []Row{
	{
		Code: Unexpected, Class: Internal,
		Cause:  "Something failed that the program has no name for: a defect of ours.",
		Remedy: "Report it with the log lines around it.", Retryable: true,
	},
	{
		Code: Canceled, Class: Upstream,
		Cause: "The requester disconnected before the work was done.",
		Remedy: "None needed. If it is frequent, the peer's patience is shorter than the work: look at the " +
			"transcode times.", Retryable: true,
	},
	{
		Code: DeadlineExceeded, Class: Upstream,
		Symptom: "`context deadline exceeded`",
		Cause:   "The answer did not come in the time allowed.",
		Remedy:  "Check the load of this machine and the network to the peer named in the message.", Retryable: true,
	},
}
