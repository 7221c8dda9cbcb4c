package fault

// completionRows are the conditions of the gateway's AI interface.
var completionRows = []Row{
	{
		Code: MethodNotAllowed, Class: BadRequest,
		Cause:  "The address exists, but not for this HTTP method.",
		Remedy: "Take the method from docs/llm.md; jobs are POST requests.",
	},
	{
		Code: RequestTooLarge, Class: BadRequest,
		Cause:  "The request's body is over the gateway's limit: 10 MiB of JSON, 64 MiB with a file.",
		Remedy: "Send less: a shorter conversation, smaller images, a shorter recording.",
	},
	{
		Code: RequestSlow, Class: BadRequest,
		Cause:  "The request's body did not come in its time: the client stopped, or its connection is too slow for the size.",
		Remedy: "Send the body at once; send smaller files from slow connections.", Retryable: true,
	},
	{
		Code: RequestBroken, Class: BadRequest,
		Cause:  "The client's connection ended before the request's body did.",
		Remedy: "None at the gateway; the client may send the request again.", Retryable: true,
	},
	{
		Code: RequestUnreadable, Class: BadRequest,
		Cause:  "A request in OpenAI's form for images or audio holds what the pipeline behind it cannot take; the detail names it.",
		Remedy: "Correct the named field, or use the pipeline's own address.",
	},
	{
		Code: RequestCrossSite, Class: Forbidden,
		Cause:  "A browser sent the request for a page of another site. The gateway may stand on the visitor's own machine, so it refuses those.",
		Remedy: "Call the gateway from your own server, or serve the page and the gateway under one address.",
	},
	{
		Code: AnswerNotTaken, Class: BadRequest,
		Cause:  "The client kept its connection and took nothing of its answer for a minute.",
		Remedy: "Read the answer while it comes, or end the connection.",
	},
	{
		Code: RequestsFull, Class: Busy,
		Cause:  "The bodies of the requests in the gateway, and the results that it fetches for them, together reach the limit of memory for them.",
		Remedy: "Try again; if it lasts, start more gateways.", Retryable: true,
	},
	{
		Code: ModelBusy, Class: Busy,
		Cause:  "As many requests as `-aiQueue` allows wait for the model: there is more demand for it than the orchestrators have places.",
		Remedy: "Try again after the time in Retry-After; the operator can add orchestrators or raise `-aiQueue`.", Retryable: true,
	},
	{
		Code: ModelBusyTooLong, Class: Busy,
		Cause:  "A request waited for its model as long as it may.",
		Remedy: "Try again; the operator can add orchestrators that serve the model.", Retryable: true,
	},
	{
		Code: CompletionBroken, Class: Upstream,
		Cause:  "The answer began and broke off before its end: the orchestrator, its runner or the network between failed. What came until then counts as used.",
		Remedy: "Send the request again. The request's line in the log names the orchestrator; its own log has the reason.", Retryable: true,
	},
	{
		Code: AnswerUnreadable, Class: Upstream,
		Cause:  "An orchestrator's answer is not what the pipeline answers: its version is broken, or something else answers at its address.",
		Remedy: "Update that orchestrator, or put it on `-orchBlocklist`; the request's line in the log names it.", Retryable: true,
	},
	{
		Code: ResultFetchFailed, Class: Upstream,
		Cause:  "An image, video or sound could not be fetched from the orchestrator that made it within 30 s, or is over 64 MiB, or lies on another host.",
		Remedy: "Check that orchestrator's upload bandwidth and version; the request's line in the log names it.", Retryable: true,
	},
	{
		Code: ResultUnusable, Class: Upstream,
		Cause:  "What an orchestrator made is not the image, video or sound that the pipeline makes, or is cut off. It does not count as work that it is paid for.",
		Remedy: "Send the request again. If it lasts, update that orchestrator, or put it on `-orchBlocklist`; the request's line in the log names it.", Retryable: true,
	},
	{
		Code: ResultGone, Class: NotFound,
		Cause:  "A result or a request id was asked for that is not kept any more or never was. Results are kept for 10 minutes, fewer when memory is short.",
		Remedy: "Fetch results when the answer comes, or run the request again.",
	},
	{
		Code: ModelUnknown, Class: NotFound,
		Cause:  "No orchestrator that this gateway knows offers the model.",
		Remedy: "Take a model from `GET /v1/models`; names are compared byte for byte.",
	},
}
