package fault

// Codes of models and their slots at this node.
const (
	ModelNotServed Code = "ModelNotServed"
	ModelLineFull  Code = "ModelLineFull"
	ModelWaitOver  Code = "ModelWaitOver"
	// ModelNoRoom: no GPU has room for the model's container.
	ModelNoRoom Code = "ModelNoRoom"
	// ModelNoPort: the host has no port for the model's container.
	ModelNoPort Code = "ModelNoPort"
	// ModelNoEngine: containers are to be started and there is no engine.
	ModelNoEngine Code = "ModelNoEngine"
	// ModelLoadTimeout: a runner was not ready in time.
	ModelLoadTimeout Code = "ModelLoadTimeout"
	// ModelUnhealthy: a runner says that it is broken.
	ModelUnhealthy Code = "ModelUnhealthy"
	// ModelUnresponsive: a runner that was ready does not answer.
	ModelUnresponsive Code = "ModelUnresponsive"
	// ModelEnded: a runner's container ended without being asked.
	ModelEnded Code = "ModelEnded"
	// ModelNotListed: a server does not have the model that its entry names.
	ModelNotListed Code = "ModelNotListed"
	// ModelRunnerLost: the runners went away between the slot and the job.
	ModelRunnerLost Code = "ModelRunnerLost"
)
