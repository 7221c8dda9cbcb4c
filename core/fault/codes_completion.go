package fault

// What an application can do wrong at the gateway's AI addresses, beside what
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
	// RequestUnreadable: a request in OpenAI's form for images or audio cannot be
	// put into the network's form.
	RequestUnreadable Code = "RequestUnreadable"
	// RequestCrossSite (class Forbidden): a browser page of another site sent it.
	RequestCrossSite Code = "RequestCrossSite"
	// AnswerNotTaken: the client was there and took nothing of its answer.
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
