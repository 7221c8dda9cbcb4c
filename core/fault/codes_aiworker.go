package fault

// Codes of AI jobs that are done on another machine, at the orchestrator and at
// the worker.
const (
	// AIWorkerLost: the worker went away before its answer began.
	AIWorkerLost Code = "AIWorkerLost"
	// AIWorkerSilent: the worker has a job and did not answer in time.
	AIWorkerSilent Code = "AIWorkerSilent"
	// AIWorkerFailed: the worker says that the job failed.
	AIWorkerFailed Code = "AIWorkerFailed"
	// AIWorkerBusy: the worker says that it has no free slot, though it said it had.
	AIWorkerBusy Code = "AIWorkerBusy"
	// AIWorkerGarbled: the worker's answer cannot be read.
	AIWorkerGarbled Code = "AIWorkerGarbled"
	// AIWorkerOutdated: a worker's release is older than the orchestrator's.
	AIWorkerOutdated Code = "AIWorkerOutdated"
	// AIWorkerRefused: a registration is none that can be taken.
	AIWorkerRefused Code = "AIWorkerRefused"
	// AIJobGarbled: the orchestrator's job cannot be read.
	AIJobGarbled Code = "AIJobGarbled"
	// AIInputLost: the file of a job could not be fetched from the orchestrator.
	AIInputLost Code = "AIInputLost"
	// AIAnswerUndelivered: the orchestrator did not take the answer.
	AIAnswerUndelivered Code = "AIAnswerUndelivered"
)

// aiWorkerRows are the conditions of AI jobs that are done on another machine. Read-only.
var aiWorkerRows = []Row{
	{
		Code: AIWorkerLost, Class: Upstream,
		Cause: "The connection to a remote AI worker broke before it answered a job. The job goes to another " +
			"worker with the same model if there is one.",
		Remedy: "Look at the worker's log and machine; it comes back by itself once it runs and reaches this node.",
		Wire:   "the AI worker was lost", Retryable: true,
	},
	{
		Code: AIWorkerSilent, Class: Upstream,
		Cause: "A remote AI worker took a job and did not begin to answer it within the time for one, 15 minutes.",
		Remedy: "Look at the model's runner on that worker: it may hang, or its jobs may be larger than it can " +
			"do in the time.",
		Wire: "the AI worker did not answer", Retryable: true,
	},
	{
		Code: AIWorkerFailed, Class: Upstream,
		Cause:  "A remote AI worker says that a job failed; the detail has its words.",
		Remedy: "Look at the log of the worker that the message names, and of the model's runner there.",
		Wire:   detailMark, Retryable: true,
	},
	{
		Code: AIWorkerBusy, Class: Busy,
		Cause: "A remote AI worker refused a job because its own capacity was used up, although less was given " +
			"to it than it registered with. It works for another orchestrator too, or its models changed.",
		Remedy: "None needed if it is rare; otherwise register the worker with one orchestrator only, and update " +
			"workers that are no tutti nodes.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: AIWorkerGarbled, Class: Upstream,
		Cause: "What a remote AI worker sent as its answer cannot be read: a broken form, a file that the " +
			"answer does not name, or more than 128 MiB.",
		Remedy: "Update the worker to the release of this node.",
		Wire:   "the AI worker's answer cannot be used", Retryable: true,
	},
	{
		Code: AIWorkerOutdated, Class: Config,
		Cause: "A remote AI worker wants to register whose release is older than the one this orchestrator has. " +
			"Its registration is ended without an error, and it tries again.",
		Remedy: "Update the worker to the release of the orchestrator, or a newer one.",
	},
	{
		Code: AIWorkerRefused, Class: BadRequest,
		Cause: "A remote AI worker's registration has more models, or longer names, than any worker has, or " +
			"there are more workers than are taken.",
		Remedy: "Check what the machine that the message names really runs, and that only your workers know the " +
			"secret.",
		Wire: detailMark,
	},
	{
		Code: AIJobGarbled, Class: BadRequest,
		Cause: "A job from the orchestrator cannot be read by this AI worker: its pipeline is unknown, or its " +
			"request is none of that pipeline.",
		Remedy: "Bring the orchestrator and this worker to the same release.",
		Wire:   detailMark,
	},
	{
		Code: AIInputLost, Class: Upstream,
		Cause:  "The image or sound of a job could not be fetched from the orchestrator within four seconds.",
		Remedy: "Check that this worker reaches the orchestrator's service address, and the network between them.",
		Wire:   "could not fetch the job's input", Retryable: true,
	},
	{
		Code: AIAnswerUndelivered, Class: Upstream,
		Cause: "The orchestrator did not take an answer of this AI worker: the connection broke, its secret " +
			"changed, or no client waits for the answer any more.",
		Remedy: "None needed if it is rare; otherwise check the network to the orchestrator and that -orchSecret " +
			"is still its secret.",
		Retryable: true,
	},
}
