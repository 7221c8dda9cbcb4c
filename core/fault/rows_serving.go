package fault

// servingRows are the conditions of models and their slots at this node.
var servingRows = []Row{
	{
		Code: ModelNotServed, Class: Busy,
		Cause:  "A job names a pipeline and model that this node does not have: there is no entry for it in aiModels.json, or its letters differ.",
		Remedy: "None needed if it is not to be served; otherwise add an entry whose `model_id` is exactly the job's, and restart.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelLineFull, Class: Busy,
		Cause:  "All slots of the model are taken and as many jobs wait for one as may.",
		Remedy: "None needed, the gateway goes elsewhere; if it is usual, add a runner or raise the runner's number of parallel sequences.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelWaitOver, Class: Busy,
		Cause:  "A job waited for one of the model's slots as long as it may, and none became free.",
		Remedy: "None needed, the gateway goes elsewhere; if it is usual, add a runner or raise the runner's number of parallel sequences.",
		Wire:   "insufficient capacity", Retryable: true,
	},
}
