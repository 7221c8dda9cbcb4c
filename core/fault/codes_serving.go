package fault

// Codes of models and their slots at this node.
const (
	ModelNotServed Code = "ModelNotServed"
	ModelLineFull  Code = "ModelLineFull"
	ModelWaitOver  Code = "ModelWaitOver"
	// ModelFailed: a job asks for a model that is known not to run; the fault
	// around it says why.
	ModelFailed Code = "ModelFailed"
	// ModelNoRoom: no GPU has room for the model's container.
	ModelNoRoom Code = "ModelNoRoom"
	// ModelNoEngine: containers are to be started and there is no engine.
	ModelNoEngine Code = "ModelNoEngine"
	// ModelLoadTimeout: a runner was not ready in time.
	ModelLoadTimeout Code = "ModelLoadTimeout"
	// ModelUnhealthy: a runner says that it is broken.
	ModelUnhealthy Code = "ModelUnhealthy"
	// ModelRunnerLost: the runners went away between the slot and the job.
	ModelRunnerLost Code = "ModelRunnerLost"
)
