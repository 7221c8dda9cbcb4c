package fault

// What a GPU refuses to a session of the transcoder.
const (
	// EncoderSessionsExhausted: the driver allows no further encoder sessions. Class
	// busy, retryable, wire text "OrchestratorCapped". Remedy: none needed; fewer
	// sessions, or a card without that limit.
	EncoderSessionsExhausted Code = "EncoderSessionsExhausted"
	// GPUOutOfMemory: the GPU has no memory left for a session. Class busy,
	// retryable, wire text "OrchestratorCapped". Remedy: fewer sessions, other
	// programs off the GPU.
	GPUOutOfMemory Code = "GPUOutOfMemory"
	// GPUNotReady: the driver answers that the system is not initialized yet, CUDA error
	// 802. Class config, retryable. Cause: on boards with NVSwitch the fabric manager
	// does not run, or not yet. Remedy: start it, of the driver's own version.
	GPUNotReady Code = "GPUNotReady"
	// GPUUnavailable: the GPU is there and takes no further process, CUDA error 46. Class
	// config, retryable. Cause: its compute mode is exclusive or prohibited. Remedy:
	// nvidia-smi -c DEFAULT.
	GPUUnavailable Code = "GPUUnavailable"
)
