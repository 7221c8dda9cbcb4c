package fault

// A worker on another machine than its orchestrator: registering, and taking results.
const (
	// WorkerNotRegistered: the orchestrator of -orchAddr cannot be reached, or it ended
	// the registration. The worker comes back by itself.
	WorkerNotRegistered Code = "WorkerNotRegistered"
	// WorkerSameOrchestrator: two addresses of -orchAddr are of the same orchestrator.
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

// joinRows are the conditions of a worker that works for orchestrators elsewhere. Read-only.
var joinRows = []Row{
	{
		Code: WorkerNotRegistered, Class: Upstream,
		Symptom: "`Registering transcoder to …` again and again, and no work",
		Cause: "The orchestrator that `-orchAddr` names cannot be reached, does not speak the protocol, or " +
			"ended the registration; the message has its words. The worker keeps trying, at first several " +
			"times a second, later about once a minute.",
		Remedy: "See that the orchestrator runs and takes remote workers (`-orchSecret` without `-transcoder`), " +
			"that `-orchAddr` is its host and port (8935) as seen from here, and that no firewall is " +
			"between. If the message speaks of a certificate, `-orchCA` does not fit the orchestrator's.",
		Retryable: true,
	},
	{
		Code: WorkerSameOrchestrator, Class: Config,
		Cause: "Both addresses are of the same orchestrator: it has this worker already, by another address of " +
			"`-orchAddr`, and counts it once. The worker tries the second address now and then, in case the " +
			"first one fails.",
		Remedy: "None needed if it is meant as a second way to the same machine; else leave one of the two out " +
			"of `-orchAddr`.", Retryable: true,
	},
	{
		Code: WorkerSecretRefused, Class: Config,
		Symptom: "`invalid secret`",
		Cause: "The orchestrator has another secret than this worker; the worker stops, because trying again " +
			"would change nothing.",
		Remedy: "Give both the same `-orchSecret`; where it is a file, look for another line or a space at its " +
			"end. An orchestrator takes several secrets at once, one per line of its file, so that they can " +
			"be changed without a gap.",
	},
	{
		Code: WorkerZeroCapacity, Class: Config,
		Symptom: "`zero capacity`",
		Cause:   "The worker registered with a capacity of 0 sessions, and the orchestrator takes no such worker.",
		Remedy: "Start the worker with `-maxSessions` of at least 1, or leave it out; look at the conditions of " +
			"its devices.",
	},
	{
		Code: WorkerDismissed, Class: Upstream,
		Cause: "The orchestrator ended the registration for good: it sent the gRPC status Canceled, which tells " +
			"workers not to come back.",
		Remedy: "Ask the orchestrator's operator. Its log says why; when the reason is gone, start the worker " +
			"again.",
	},
	{
		Code: WorkerTLSFiles, Class: Config,
		Cause: "A file with certificates of the worker cannot be read, is no PEM, or certificate and key do not " +
			"belong together; the message names it.",
		Remedy: "Correct `-orchCA`, `-workerCert` and `-workerKey`; the last two are given together. `openssl " +
			"x509 -in FILE -text` shows a certificate.",
	},
	{
		Code: WorkerInputLost, Class: Upstream,
		Cause: "A job's input could not be fetched from the orchestrator within 4 s, or it was too large, " +
			"empty, or no longer there.",
		Remedy: "None for a single one: the gateway sends the segment again. When it repeats, look at the line " +
			"between worker and orchestrator, and whether the orchestrator's `-serviceAddr` can be reached " +
			"from here: the address of the input is made of it.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: WorkerResultLost, Class: Upstream,
		Cause: "A result could not be taken to the orchestrator: the connection broke twice, or it was refused; " +
			"the message has the orchestrator's words.",
		Remedy: "None for a single one. `status 401` means that the orchestrator's secret has changed: give the " +
			"worker the new one.", Retryable: true,
	},
}
