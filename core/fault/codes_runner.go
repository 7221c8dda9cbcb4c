package fault

// Codes of AI runners and the servers behind url.
const (
	// RunnerUnreachable: no connection to the runner, or it was reset before the
	// answer began.
	RunnerUnreachable Code = "RunnerUnreachable"
	// RunnerStalled: the runner took the request and then said nothing.
	RunnerStalled Code = "RunnerStalled"
	// RunnerBroke: the runner ended the connection in the middle of an answer.
	RunnerBroke Code = "RunnerBroke"
	// RunnerBusy: the runner refuses at the moment: too many requests, or still loading.
	RunnerBusy Code = "RunnerBusy"
	// RunnerFailed: the runner answered with an error of its own.
	RunnerFailed Code = "RunnerFailed"
	// RunnerOutOfMemory: the runner's GPU memory did not suffice.
	RunnerOutOfMemory Code = "RunnerOutOfMemory"
	// RunnerAuth: the runner refuses our token.
	RunnerAuth Code = "RunnerAuth"
	// RunnerModelMissing: the runner does not have the model.
	RunnerModelMissing Code = "RunnerModelMissing"
	// RunnerGarbled: the runner's answer cannot be understood or is beyond all
	// bounds.
	RunnerGarbled Code = "RunnerGarbled"
	// OperationUnsupported: the model's runner cannot do what is asked of it.
	OperationUnsupported Code = "OperationUnsupported"
	// ModelPullFailed: a model server could not fetch the model that it was asked to fetch.
	ModelPullFailed Code = "ModelPullFailed"
)
