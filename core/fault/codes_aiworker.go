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
	// AIWorkerBusy: the worker says that it has no room, though it said it had.
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
