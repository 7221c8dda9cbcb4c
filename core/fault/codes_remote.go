package fault

// Workers on other machines, as their orchestrator sees them.
const (
	// RemoteSecretWrong: a worker presented none of the orchestrator's secrets. Wire
	// text "invalid secret", at which transcoders stop for good. Class
	// unauthenticated. Cause: -orchSecret differs between the two, or a stranger
	// tries. Remedy: compare -orchSecret on both machines; if the address is not one
	// of yours, let a firewall keep it away.
	RemoteSecretWrong Code = "RemoteSecretWrong"
	// RemoteZeroCapacity: a transcoder offers no sessions. Wire text "zero capacity".
	// Class bad request. Cause: its -maxSessions is 0. Remedy: raise it there.
	RemoteZeroCapacity Code = "RemoteZeroCapacity"
	// RemoteRegistration: a worker's registration cannot be taken, as the detail says.
	// Class busy, retryable. Cause: the node stops, or the registration is not
	// sensible. Remedy: none needed, the worker comes back by itself.
	RemoteRegistration Code = "RemoteRegistration"
	// RemoteWorkerLost: the connection to a worker broke, or it reads nothing any
	// more. Class upstream, retryable; its segments are tried elsewhere. Cause: its
	// process ended, its machine or the network between failed. Remedy: look at the
	// worker's log and machine; it comes back by itself.
	RemoteWorkerLost Code = "RemoteWorkerLost"
	// RemoteWorkerTimeout: a worker gave no answer within four times the segment's
	// duration, at least eight seconds, and was dropped. Class upstream, retryable.
	// Cause: it is overloaded, hangs, or its upload is too slow. Remedy: look at the
	// worker; lower its -maxSessions, or raise its bandwidth.
	RemoteWorkerTimeout Code = "RemoteWorkerTimeout"
	// RemoteResultRefused: what a worker sent as a result cannot be used, as the
	// detail says. Class upstream, retryable. Cause: a defect of that worker, or
	// something between changes traffic. Remedy: update the worker; if it repeats for
	// one only, take it out.
	RemoteResultRefused Code = "RemoteResultRefused"
	// RemoteIncompatible: a transcoder lacks what a segment needs, which its
	// registration did not show. Wire text "incompatible segment capabilities". Class
	// upstream, retryable. Cause: it is older than the gateway demands, or its devices
	// changed. Remedy: none needed, the segment is tried elsewhere; update the
	// transcoder if it repeats.
	RemoteIncompatible Code = "RemoteIncompatible"
)
