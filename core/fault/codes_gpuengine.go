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
)
