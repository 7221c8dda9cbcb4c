package fault

// What an application can do wrong at the gateway's AI addresses, besides what
// core/pipeline says of the request's own fields. Class BadRequest, not
// retryable, unless said otherwise.
const (
	// MethodNotAllowed: the address exists, for another method.
	MethodNotAllowed Code = "MethodNotAllowed"
	// RequestTooLarge: the body is over the gateway's limit.
	RequestTooLarge Code = "RequestTooLarge"
	// RequestSlow: the body did not come in its time. Retryable.
	RequestSlow Code = "RequestSlow"
	// RequestBroken: the connection ended before the body did. Retryable.
	RequestBroken Code = "RequestBroken"
	// RequestUnreadable: a request in OpenAI's form for images or audio, or in another API's, cannot be
	// put into the network's form.
	RequestUnreadable Code = "RequestUnreadable"
	// RequestEncoded: the body is compressed.
	RequestEncoded Code = "RequestEncoded"
	// RequestCrossSite (class Forbidden): a browser page of another site sent it.
	RequestCrossSite Code = "RequestCrossSite"
	// RequestTimedOut (class Upstream, status 504): the time that the client itself gave is over.
	RequestTimedOut Code = "RequestTimedOut"
	// AnswerNotTaken: the client was connected and read nothing of its answer.
	AnswerNotTaken Code = "AnswerNotTaken"
)

// What limits a gateway's AI requests. Class Busy, retryable.
const (
	// RequestsFull: the bodies of requests in the gateway reach their limit.
	RequestsFull Code = "RequestsFull"
	// ModelBusy: as many requests wait for the model as may.
	ModelBusy Code = "ModelBusy"
	// ModelBusyTooLong: a request waited for its model as long as it may.
	ModelBusyTooLong Code = "ModelBusyTooLong"
)

// What an answer can come to. Class Upstream, retryable, unless said otherwise.
const (
	// CompletionBroken: the answer began and ended before its end.
	CompletionBroken Code = "CompletionBroken"
	// AnswerUnreadable: the answer is not what the pipeline answers.
	AnswerUnreadable Code = "AnswerUnreadable"
	// ResultFetchFailed: an image, video or sound could not be fetched from the
	// orchestrator that made it.
	ResultFetchFailed Code = "ResultFetchFailed"
	// ResultUnusable: what an orchestrator made is no image, video or sound.
	ResultUnusable Code = "ResultUnusable"
	// ResultGone (class NotFound, not retryable): a result is not kept any more.
	ResultGone Code = "ResultGone"
	// ModelUnknown (class NotFound): no orchestrator offers the model.
	ModelUnknown Code = "ModelUnknown"
)

// completionRows are the conditions of the gateway's AI interface. Read-only.
var completionRows = []Row{
	{
		Code: MethodNotAllowed, Class: BadRequest,
		Cause:  "The address exists, but not for this HTTP method.",
		Remedy: "Take the method from docs/llm.md; jobs are POST requests.",
	},
	{
		Code: RequestTooLarge, Class: BadRequest,
		Cause:  "The request's body is over the gateway's limit (`-aiBodyLimit`), which the message names.",
		Remedy: "Send less: a shorter conversation, smaller images, a shorter recording.",
	},
	{
		Code: RequestEncoded, Class: BadRequest,
		Cause:  "The request's body is compressed, as its header Content-Encoding says.",
		Remedy: "Send it as it is, without Content-Encoding.",
	},
	{
		Code: RequestSlow, Class: BadRequest,
		Cause: "The request's body did not come in its time: the client stopped, or its connection is too slow " +
			"for the size.",
		Remedy: "Send the body at once; send smaller files from slow connections.", Retryable: true,
	},
	{
		Code: RequestBroken, Class: BadRequest,
		Cause:  "The client's connection ended before the request's body did.",
		Remedy: "None at the gateway; the client may send the request again.", Retryable: true,
	},
	{
		Code: RequestUnreadable, Class: BadRequest,
		Cause: "A request in OpenAI's form for images or audio, or in the form of Anthropic's or Ollama's API, holds " +
			"what the pipeline behind it cannot take; the detail names it.",
		Remedy: "Correct the named field, or use the pipeline's own address; docs/llm.md has what each API takes.",
	},
	{
		Code: RequestCrossSite, Class: Forbidden,
		Cause: "A browser sent the request for a page of another site. The gateway may stand on the visitor's " +
			"own machine, so it refuses those.",
		Remedy: "Call the gateway from your own server, or serve the page and the gateway under one address.",
	},
	{
		Code: RequestTimedOut, Class: Upstream,
		Cause: "The request's header `x-tutti-timeout` sets a time, and the answer did not begin, or end, within it. What " +
			"was paid for the request stays paid.",
		Remedy: "Give the model more time, ask for fewer tokens, or take a model that is loaded: `GET /v1/models` says " +
			"which are.", Retryable: true,
	},
	{
		Code: AnswerNotTaken, Class: BadRequest,
		Cause:  "The client kept its connection and took nothing of its answer for a minute.",
		Remedy: "Read the answer while it comes, or end the connection.",
	},
	{
		Code: RequestsFull, Class: Busy,
		Cause: "The bodies of the requests in the gateway, and the results that it fetches for them, together " +
			"reach the limit of memory for them.",
		Remedy: "Try again; if it lasts, start more gateways.", Retryable: true,
	},
	{
		Code: ModelBusy, Class: Busy,
		Cause: "As many requests as `-aiQueue` allows wait for the model: there is more demand for it than the " +
			"orchestrators have capacity.",
		Remedy: "Try again after the time in Retry-After; the operator can add orchestrators or raise " +
			"`-aiQueue`.",
		Retryable: true,
	},
	{
		Code: ModelBusyTooLong, Class: Busy,
		Cause:  "A request waited for its model as long as it may.",
		Remedy: "Try again; the operator can add orchestrators that serve the model.", Retryable: true,
	},
	{
		Code: CompletionBroken, Class: Upstream,
		Cause: "The answer began and broke off before its end: the orchestrator, its runner or the network " +
			"between failed. What came until then counts as used.",
		Remedy: "Send the request again. The request's line in the log names the orchestrator; its own log has " +
			"the reason.", Retryable: true,
	},
	{
		Code: AnswerUnreadable, Class: Upstream,
		Cause: "An orchestrator's answer is not what the pipeline answers: its version is broken, or something " +
			"else answers at its address.",
		Remedy: "Update that orchestrator, or put it on `-orchBlocklist`; the request's line in the log " +
			"names it.",
		Retryable: true,
	},
	{
		Code: ResultFetchFailed, Class: Upstream,
		Cause: "An image, video or sound could not be fetched from the orchestrator that made it within 30 s, " +
			"or is over 64 MiB, or lies on another host.",
		Remedy: "Check that orchestrator's upload bandwidth and version; the request's line in the log names " +
			"it.",
		Retryable: true,
	},
	{
		Code: ResultUnusable, Class: Upstream,
		Cause: "What an orchestrator made is not the image, video or sound that the pipeline makes, or is cut " +
			"off. It does not count as work that it is paid for.",
		Remedy: "Send the request again. If it lasts, update that orchestrator, or put it on `-orchBlocklist`; " +
			"the request's line in the log names it.", Retryable: true,
	},
	{
		Code: ResultGone, Class: NotFound,
		Cause: "A result or a request id was asked for that is not kept any more or never was. Results are kept " +
			"for 10 minutes, fewer when memory is short.",
		Remedy: "Fetch results when the answer comes, or run the request again.",
	},
	{
		Code: ModelUnknown, Class: NotFound,
		Cause:  "No orchestrator that this gateway knows offers the model.",
		Remedy: "Take a model from `GET /v1/models`; names are compared byte for byte.",
	},
}
