package fault

// gpuEngineRows are about GPUs at work on segments.
var gpuEngineRows = []Row{
	{
		Code: EncoderSessionsExhausted, Class: Busy,
		Symptom: "`OpenEncodeSessionEx failed: out of memory (10)`",
		Cause:   "The driver allows no further encoder sessions. GeForce cards have a limit for the whole machine, all cards and programs together: 3, 5, 8 or 12 by the driver's age. Each rendition takes one.",
		Remedy:  "None needed: the node counts what the driver allows and takes no more sessions than that. For more, update the driver, end other programs that encode (`nvidia-smi` lists them), or use a card without the limit.",
		Wire:    "OrchestratorCapped", Retryable: true,
	},
	{
		Code: GPUOutOfMemory, Class: Busy,
		Symptom: "`CUDA_ERROR_OUT_OF_MEMORY: out of memory`",
		Cause:   "The GPU's memory does not suffice for another session: others fill it, or programs that are not the node's do.",
		Remedy:  "`nvidia-smi` shows who holds the memory. End what is not needed, keep AI models off the GPUs that transcode, or lower `-maxSessions`.",
		Wire:    "OrchestratorCapped", Retryable: true,
	},
}
