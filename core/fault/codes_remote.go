package fault

// Workers on other machines, as their orchestrator sees them.
const (
	// RemoteSecretWrong: a worker presented none of the orchestrator's secrets. Wire text "invalid
	// secret", at which transcoders stop for good.
	RemoteSecretWrong Code = "RemoteSecretWrong"
	// RemoteZeroCapacity: a transcoder offers no sessions. Wire text "zero capacity".
	RemoteZeroCapacity Code = "RemoteZeroCapacity"
	// RemoteRegistration: a worker's registration cannot be taken, as the detail says.
	RemoteRegistration Code = "RemoteRegistration"
	// RemoteWorkerLost: the connection to a worker broke, or it reads nothing any more. Class upstream,
	// retryable; its segments are tried elsewhere.
	RemoteWorkerLost Code = "RemoteWorkerLost"
	// RemoteWorkerTimeout: a worker gave no answer within four times the segment's duration, at least
	// eight seconds, and was dropped.
	RemoteWorkerTimeout Code = "RemoteWorkerTimeout"
	// RemoteResultRefused: what a worker sent as a result cannot be used, as the detail says.
	RemoteResultRefused Code = "RemoteResultRefused"
	// RemoteIncompatible: a transcoder lacks what a segment needs, which its registration did not show.
	// Wire text "incompatible segment capabilities".
	RemoteIncompatible Code = "RemoteIncompatible"
)

// remoteRows are the conditions of workers on other machines, at their orchestrator. Read-only.
var remoteRows = []Row{
	{
		Code: RemoteSecretWrong, Class: Unauthenticated,
		Symptom: "a remote transcoder or AI worker stops with `invalid secret`",
		Cause: "A worker presented none of the orchestrator's secrets: `-orchSecret` differs between the two " +
			"machines, or an unknown party tries.",
		Remedy: "Compare `-orchSecret` on both machines; a file may name several secrets, one per line. If the " +
			"address in the log is none of yours, let a firewall keep it away.",
		Wire: "invalid secret",
	},
	{
		Code: RemoteZeroCapacity, Class: BadRequest,
		Symptom: "a remote transcoder stops with `zero capacity`",
		Cause:   "A transcoder offers no sessions: its `-maxSessions` is 0.",
		Remedy:  "Raise `-maxSessions` on the transcoder.",
		Wire:    "zero capacity",
	},
	{
		Code: RemoteRegistration, Class: Busy,
		Cause: "A worker's registration was not taken: this node stops, or the registration makes no sense, as " +
			"the detail says.",
		Remedy: "None needed: the worker comes back by itself. If it repeats, update the worker.",
		Wire:   "{detail}", Retryable: true,
	},
	{
		Code: RemoteWorkerLost, Class: Upstream,
		Cause: "The connection to a remote worker broke, or it reads nothing any more: its process ended, its " +
			"machine failed, or the network between. Its work is tried elsewhere.",
		Remedy: "Look at the worker's log and machine; it comes back by itself. If all workers are lost at once, " +
			"look at this node's network.",
		Wire: "ErrTranscoderUnavailable", Retryable: true,
	},
	{
		Code: RemoteWorkerTimeout, Class: Upstream,
		Symptom: "`Remote transcoder took too long`",
		Cause: "A remote worker gave no answer within four times the segment's duration, at least eight " +
			"seconds, or several were silent over the same segment: it is overloaded, hangs, or its upload " +
			"is too slow.",
		Remedy: "Look at the worker's log and load; lower its `-maxSessions`, or give it more bandwidth to this " +
			"node.",
		Wire: "Remote transcoder took too long", Retryable: true,
	},
	{
		Code: RemoteResultRefused, Class: Upstream,
		Cause: "What a remote worker sent as a result cannot be used, as the detail says: the worker is " +
			"defective, or something between the machines changes traffic.",
		Remedy: "Update the worker; if it repeats for one worker only, take it out and report it with the log lines.",
		Wire:   "ErrTranscoderUnavailable", Retryable: true,
	},
	{
		Code: RemoteIncompatible, Class: Upstream,
		Symptom: "`incompatible segment capabilities`",
		Cause: "A remote transcoder lacks what a segment needs, which its registration did not show: it is " +
			"older than the gateway demands, or its devices changed.",
		Remedy: "None needed: the segment is tried elsewhere. If it repeats, update that transcoder.",
		Wire:   "incompatible segment capabilities", Retryable: true,
	},
}
