package fault

// A worker on another machine than its orchestrator: registering, and taking results.
const (
	// WorkerNotRegistered: the orchestrator of -orchAddr cannot be reached, or it ended
	// the registration. The worker comes back by itself.
	WorkerNotRegistered Code = "WorkerNotRegistered"
	// WorkerSameOrchestrator: two addresses of -orchAddr lead to the same orchestrator.
	WorkerSameOrchestrator Code = "WorkerSameOrchestrator"
	// WorkerSecretRefused: the orchestrator has another -orchSecret. Its text is
	// "invalid secret".
	WorkerSecretRefused Code = "WorkerSecretRefused"
	// WorkerZeroCapacity: the orchestrator takes no worker without capacity. Its text
	// is "zero capacity".
	WorkerZeroCapacity Code = "WorkerZeroCapacity"
	// WorkerDismissed: the orchestrator ended the registration for good, with the gRPC
	// status Canceled.
	WorkerDismissed Code = "WorkerDismissed"
	// WorkerTLSFiles: -orchCA, -workerCert or -workerKey cannot be used.
	WorkerTLSFiles Code = "WorkerTLSFiles"
	// WorkerInputLost: a segment or an AI job's input could not be fetched from where
	// the orchestrator keeps it.
	WorkerInputLost Code = "WorkerInputLost"
	// WorkerResultLost: a result could not be taken to the orchestrator.
	WorkerResultLost Code = "WorkerResultLost"
)
