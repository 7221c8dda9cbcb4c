package fault

// Codes of models and their slots at this node.
const (
	ModelNotServed Code = "ModelNotServed"
	ModelLineFull  Code = "ModelLineFull"
	ModelWaitOver  Code = "ModelWaitOver"
	// ModelFailed: a job asks for a model that is known not to run; the fault
	// around it says why.
	ModelFailed Code = "ModelFailed"
	// ModelNoRoom: no GPU has the memory for the model's container.
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

// servingRows are the conditions of models and their slots at this node. Read-only.
var servingRows = []Row{
	{
		Code: ModelNotServed, Class: Busy,
		Cause: "A job names a pipeline and model that this node does not have: there is no entry for it in " +
			"aiModels.json, or its letters differ.",
		Remedy: "None needed if it is not to be served; otherwise add an entry whose `model_id` is exactly the " +
			"job's, and run `tutti_cli reload`.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelLineFull, Class: Busy,
		Cause: "All slots of the model are taken and as many jobs wait for one as may.",
		Remedy: "None needed, the gateway goes elsewhere; if it is usual, add a runner or raise the runner's " +
			"number of parallel sequences.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelWaitOver, Class: Busy,
		Cause: "A job waited for one of the model's slots as long as it may, and none became free.",
		Remedy: "None needed, the gateway goes elsewhere; if it is usual, add a runner or raise the runner's " +
			"number of parallel sequences.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelFailed, Class: Busy,
		Cause: "A job asks for a model that could not be started or has failed, and that is not tried again " +
			"yet; the detail has the code and the reason.",
		Remedy: "Follow the remedy of the code in the detail, which is a condition of the node while it lasts.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelNoRoom, Class: Busy,
		Cause: "No GPU has capacity for the model's container: each holds as many as it may, or too little of its " +
			"memory is left, and none of them can be evicted because it is warm or has work.",
		Remedy: "Make fewer models warm, raise `-aiRunnerContainersPerGPU` if the memory allows, or give the " +
			"node more GPUs with `-nvidia`. A cold model needs nothing: it is tried again.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelNoEngine, Class: Config,
		Cause: "The models file has an entry without `url`, whose container the node would start, and no Docker " +
			"Engine is set up.",
		Remedy: "Install the Docker Engine and give the node's user access to its socket, or give the entry the " +
			"`url` of a running server.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelLoadTimeout, Class: Busy,
		Cause: "The model's runner was started but was not ready within its time; it may still load weights " +
			"from a slow disk, or hang.",
		Remedy: "Read the container's last lines, which `tutti_cli` shows. Put the models directory on a faster " +
			"disk, or download the weights beforehand; the node tries again by itself.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelUnhealthy, Class: Busy,
		Cause: "The model's runner says of itself that it is broken (health `ERROR`).",
		Remedy: "Read the runner's last lines: often the GPU's memory is not enough or the driver failed. A " +
			"container is started again by itself; restart a server behind `url` yourself.",
		Wire: "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelRunnerLost, Class: Busy,
		Cause:  "A job had its slot, and before it was sent the model's runner failed or was withdrawn.",
		Remedy: "None needed, the gateway goes elsewhere; why the runner went away is logged with the model.",
		Wire:   "insufficient capacity", Retryable: true,
	},
}
