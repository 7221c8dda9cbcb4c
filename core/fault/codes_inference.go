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
	// PicturesTooLarge: the images to be fetched for a request are too many or too
	// large.
	PicturesTooLarge Code = "PicturesTooLarge"
	// PictureNotFetched: the server of an image does not send it.
	PictureNotFetched Code = "PictureNotFetched"
	// PictureUnreadable: what the server of an image sends is none that models read.
	PictureUnreadable Code = "PictureUnreadable"
	// RequestDiskFull: a large request does not fit on the node's disk.
	RequestDiskFull Code = "RequestDiskFull"
	// JobTooLarge: the body is larger than the limit for its pipeline.
	JobTooLarge Code = "JobTooLarge"
	// JobBroken: the body did not come whole, or came too slowly.
	JobBroken Code = "JobBroken"
	// JobsFull: the requests in progress hold all the memory reserved for them.
	JobsFull Code = "JobsFull"
	// ModelMissing: the request names no model.
	ModelMissing Code = "ModelMissing"
	// MaxTokensMissing: the request does not say how long the answer may be.
	MaxTokensMissing Code = "MaxTokensMissing"
	// PromptTooLong: the prompt is far longer than what max_tokens pays for.
	PromptTooLong Code = "PromptTooLong"
	// ImageUnreadable: the image is none that can be read.
	ImageUnreadable Code = "ImageUnreadable"
	// AudioUnreadable: the audio's length cannot be determined.
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

// inferenceRows are the conditions of AI jobs at the orchestrator. Read-only.
var inferenceRows = []Row{
	{
		Code: JobUnknown, Class: NotFound,
		Cause: "A request names a pipeline that is none of the network's, or an operation that its pipeline " +
			"does not have.",
		Remedy: "Correct the request's path; docs/status.md says where the node lists its pipelines.",
	},
	{
		Code: JobUnreadable, Class: BadRequest,
		Cause: "The body of an AI request is not what its pipeline takes: broken JSON, a field twice or of the " +
			"wrong kind, a missing field, or a form that cannot be read.",
		Remedy: "Correct the field that the message names.",
		Wire:   detailMark,
	},
	{
		Code: RequestURLRefused, Class: BadRequest,
		Cause: "An AI request names an address, in `image_url` or the like, that nothing is fetched from: one " +
			"of a private network, a port other than 80 and 443, a file, anything but the image of a chat, " +
			"or any where the model takes `data:` addresses only.",
		Remedy: "Send the image or sound itself, as a `data:` address. The operator of the model server " +
			"lets the node fetch images with `\"request_urls\": \"fetch\"` in the model's entry of " +
			"aiModels.json, permits public addresses of all kinds with `\"public\"`, and all with " +
			"`\"any\"`; the operator of the gateway lets private ones pass with `-aiPrivateUrls`.",
		Wire: detailMark,
	},
	{
		Code: PicturesTooLarge, Class: BadRequest,
		Cause: "An AI request names more than 8 images to be fetched, or they have more than 20 MB together.",
		Remedy: "Send fewer or smaller images; those that the request itself holds, as `data:` addresses, are " +
			"not counted.",
		Wire: detailMark,
	},
	{
		Code: PictureNotFetched, Class: BadRequest,
		Cause: "An image that an AI request names by its address cannot be fetched: its host is not found or " +
			"not reached, its server answers with another status than 200, redirects more than 3 times, " +
			"shows no valid certificate, or takes longer than 10 s.",
		Remedy: "Open the address in a browser that is signed in nowhere and correct it, or send the image " +
			"itself, as a `data:` address.",
		Wire: detailMark,
	},
	{
		Code: PictureUnreadable, Class: BadRequest,
		Cause: "What an AI request names as an image is no PNG, JPEG, WebP or GIF, or its server calls it " +
			"something else than `image/…`.",
		Remedy: "Give the address of the image, not that of a page which shows it, or convert the image to " +
			"PNG or JPEG and send it as a `data:` address.",
		Wire: detailMark,
	},
	{
		Code: RequestDiskFull, Class: Busy,
		Cause: "The disk with the data directory has no space for a large request of AI, or such requests have " +
			"reached their limit of 8 GiB together.",
		Remedy: "Run `df -h` for the data directory and free space, move it with `-dataDir`, or lower `-aiBodyLimit`.",
		Wire:   "{detail}", Retryable: true,
	},
	{
		Code: JobTooLarge, Class: BadRequest,
		Cause: "The body of an AI request is larger than this node takes (`-aiBodyLimit`; with a file " +
			"64 MiB in any case).",
		Remedy: "Send a smaller file, or a shorter conversation.",
		Wire:   "request body is too large",
	},
	{
		Code: JobBroken, Class: Upstream,
		Cause:  "The body of an AI request ended early or came too slowly.",
		Remedy: "If it repeats, check the network between the gateway and this node.",
		Wire:   genericText, Retryable: true,
	},
	{
		Code: JobsFull, Class: Busy,
		Cause: "The AI requests and segments in progress, or the images fetched for requests, together hold " +
			"all the memory set aside for them.",
		Remedy: "None needed, the gateway goes elsewhere; if it is usual, serve fewer models at once on this node.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: ModelMissing, Class: BadRequest,
		Cause:  "An AI request names no model.",
		Remedy: "Give `model` (llm) or `model_id` (every other pipeline).",
		Wire:   "model not specified",
	},
	{
		Code: MaxTokensMissing, Class: BadRequest,
		Cause:  "An llm request does not say how many tokens its answer may have, which is what it is priced at.",
		Remedy: "Give `max_tokens`.",
		Wire:   "MaxTokens not specified",
	},
	{
		Code: PromptTooLong, Class: BadRequest,
		Cause: "A paid request's prompt, with its tools and images, is longer than its `max_tokens` pays for. " +
			"The network charges `max_tokens` alone, so that an orchestrator bounds what comes with it: " +
			"about 8192 tokens, and `-promptRatio` more (128 as it is) for each token of `max_tokens`.",
		Remedy: "As a client, ask for a higher `max_tokens` or shorten the prompt. As the orchestrator's " +
			"operator, raise `-promptRatio`; 0 takes prompts of any length that the model takes.",
	},
	{
		Code: ImageUnreadable, Class: BadRequest,
		Cause:  "The image of an AI request is none of PNG, JPEG, GIF, WebP and BMP, or its header is damaged.",
		Remedy: "Convert the image, and send it under `image`.",
		Wire:   "image: {detail}",
	},
	{
		Code: AudioUnreadable, Class: BadRequest,
		Cause: "The length of an AI request's audio, which is what it is priced at, cannot be determined: the " +
			"file is " +
			"damaged or in a form that is not known.",
		Remedy: "Send mp4, webm, mp3, flac, wav or m4a under `audio`.",
		Wire:   "Unable to calculate duration",
	},
	{
		Code: UnitsTooMany, Class: BadRequest,
		Cause:  "An AI request asks for more pixels, tokens or audio than a job can be priced at.",
		Remedy: "Ask for less at once.",
		Wire:   detailMark,
	},
	{
		Code: ModelNotReady, Class: Busy,
		Cause: "A job names a model that this node has and cannot run at the moment; the message and /status " +
			"say why.",
		Remedy: "See what the model's own code on /status says.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: JobsDraining, Class: Busy,
		Cause:  "The node was asked to stop: it finishes the AI jobs that it has and takes no more.",
		Remedy: "None needed, gateways go elsewhere.",
		Wire:   "insufficient capacity", Retryable: true,
	},
	{
		Code: ArtifactsFull, Class: Busy,
		Cause: "There was no memory for an image, video or sound that a job made: it is larger than all the " +
			"memory set aside for results, or that memory holds what gateways are still fetching.",
		Remedy: "Raise the memory for results, or ask for less at once.",
		Wire:   "Could not create storage to receive results", Retryable: true,
	},
	{
		Code: ResponseUnusable, Class: Upstream,
		Cause: "A runner answered with something that its pipeline does not answer: no JSON, no image where " +
			"one must be, or more than 256 MiB.",
		Remedy: "Check that the runner behind the model serves the pipeline that aiModels.json says, in the " +
			"version that belongs to this node.",
		Wire: "{detail}", Retryable: true,
	},
	{
		Code: VideoEncoderMissing, Class: Config,
		Cause:  "An image-to-video job is done, but this process has no encoder to make a video of its frames.",
		Remedy: "Run the node with its media worker, or take image-to-video out of aiModels.json.",
		Wire:   "no video encoder", Retryable: true,
	},
	{
		Code: StreamFailed, Class: Upstream,
		Cause: "A runner began its answer and then said within it that the job failed: a prompt that is too " +
			"long, a setting out of range, or a failure of the runner's own.",
		Remedy: "If it is frequent, look at the runner's log.",
		Wire:   "the runner failed", Retryable: true,
	},
	{
		Code: StreamBroken, Class: Upstream,
		Cause: "A runner's stream ended before its answer was complete: the runner crashed, was stopped, or the " +
			"connection to it broke.",
		Remedy: "Look at the model's state on /status and at the last lines of its runner.",
		Wire:   "the stream broke", Retryable: true,
	},
}
