package fault

// Codes of AI jobs at the orchestrator.
const (
	// PipelineUnknown: the path is no pipeline of the network.
	PipelineUnknown Code = "PipelineUnknown"
	// RequestUnreadable: the body is not what its pipeline takes.
	RequestUnreadable Code = "RequestUnreadable"
	// RequestTooLarge: the body is larger than the limit for its pipeline.
	RequestTooLarge Code = "RequestTooLarge"
	// RequestBroken: the body did not come whole, or came too slowly.
	RequestBroken Code = "RequestBroken"
	// RequestsFull: the requests in hand hold all the memory set aside for them.
	RequestsFull Code = "RequestsFull"
	// ModelMissing: the request names no model.
	ModelMissing Code = "ModelMissing"
	// MaxTokensMissing: the request does not say how long the answer may be.
	MaxTokensMissing Code = "MaxTokensMissing"
	// ImageUnreadable: the picture is none that can be read.
	ImageUnreadable Code = "ImageUnreadable"
	// AudioUnreadable: the audio's length cannot be told.
	AudioUnreadable Code = "AudioUnreadable"
	// UnitsTooMany: the request asks for more than can be counted.
	UnitsTooMany Code = "UnitsTooMany"
	// JobsDraining: the node is stopping and takes no new job.
	JobsDraining Code = "JobsDraining"
	// ArtifactsFull: what jobs made cannot be kept for download.
	ArtifactsFull Code = "ArtifactsFull"
	// ResponseUnusable: the runner's answer is not what its pipeline answers.
	ResponseUnusable Code = "ResponseUnusable"
	// VideoEncoderMissing: frames cannot be made into a video here.
	VideoEncoderMissing Code = "VideoEncoderMissing"
	// StreamBroken: a runner's stream ended before it was complete.
	StreamBroken Code = "StreamBroken"
)
