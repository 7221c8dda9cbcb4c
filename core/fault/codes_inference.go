package fault

// Codes of AI jobs at the orchestrator.
const (
	// JobUnknown: the path is no pipeline of the network.
	JobUnknown Code = "JobUnknown"
	// JobUnreadable: the body is not what its pipeline takes.
	JobUnreadable Code = "JobUnreadable"
	// RequestURLRefused: a request names an address that its model server may not be
	// given.
	RequestURLRefused Code = "RequestURLRefused"
	// PicturesTooLarge: the pictures to be fetched for a request are too many or too
	// large.
	PicturesTooLarge Code = "PicturesTooLarge"
	// PictureNotFetched: the server of a picture does not send it.
	PictureNotFetched Code = "PictureNotFetched"
	// PictureUnreadable: what the server of a picture sends is none that models read.
	PictureUnreadable Code = "PictureUnreadable"
	// JobTooLarge: the body is larger than the limit for its pipeline.
	JobTooLarge Code = "JobTooLarge"
	// JobBroken: the body did not come whole, or came too slowly.
	JobBroken Code = "JobBroken"
	// JobsFull: the requests in hand hold all the memory set aside for them.
	JobsFull Code = "JobsFull"
	// ModelMissing: the request names no model.
	ModelMissing Code = "ModelMissing"
	// MaxTokensMissing: the request does not say how long the answer may be.
	MaxTokensMissing Code = "MaxTokensMissing"
	// PromptTooLong: the prompt is far longer than what max_tokens pays for.
	PromptTooLong Code = "PromptTooLong"
	// ImageUnreadable: the picture is none that can be read.
	ImageUnreadable Code = "ImageUnreadable"
	// AudioUnreadable: the audio's length cannot be told.
	AudioUnreadable Code = "AudioUnreadable"
	// UnitsTooMany: the request asks for more than can be counted.
	UnitsTooMany Code = "UnitsTooMany"
	// ModelNotReady: the model cannot be had at this node at the moment.
	ModelNotReady Code = "ModelNotReady"
	// JobsDraining: the node is stopping and takes no new job.
	JobsDraining Code = "JobsDraining"
	// ArtifactsFull: what jobs made cannot be kept for download.
	ArtifactsFull Code = "ArtifactsFull"
	// ResponseUnusable: the runner's answer is not what its pipeline answers.
	ResponseUnusable Code = "ResponseUnusable"
	// VideoEncoderMissing: frames cannot be made into a video here.
	VideoEncoderMissing Code = "VideoEncoderMissing"
	// StreamFailed: a runner said in its stream that the job failed.
	StreamFailed Code = "StreamFailed"
	// StreamBroken: a runner's stream ended before it was complete.
	StreamBroken Code = "StreamBroken"
)
