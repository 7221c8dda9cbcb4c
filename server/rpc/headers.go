package rpc

// Headers of a job's request, which the network's nodes send and read. All are in canonical form, because
// some are set directly.
const (
	// PaymentHeader has the payment, in base64.
	PaymentHeader = "Livepeer-Payment"
	// SegmentHeader has the signed metadata of a segment or job, in base64.
	SegmentHeader = "Livepeer-Segment"
	// RequestIDHeader is the request's id, for logs on both sides.
	RequestIDHeader = "X-Request-Id"
)

// Headers between tutti nodes. Other nodes neither send nor read them.
const (
	// NodeHeader is the sender's release, "tutti/0.9.1".
	NodeHeader = "Tutti-Node"
	// OperationHeader is the operation of an llm job, where it is no chat.
	OperationHeader = "Tutti-Operation"
	// CodeHeader is the fault's code of a failed request or task.
	CodeHeader = "Tutti-Code"
	// OfferHeader is an offer in the answer to an AI job: an OrchestratorInfo in base64.
	OfferHeader = "Tutti-Offer"
	// CreditedHeader is in an interim answer: the request's tickets are credited.
	CreditedHeader = "Tutti-Credited"
	// FramesHeader, on a result and on its parts, is how many frames were decoded and encoded.
	FramesHeader = "Tutti-Frames"
)

// Content types of a worker's result that is an error.
const (
	TranscodingErrorType = "livepeer/transcoding-error"
	AIWorkerErrorType    = "livepeer/ai-worker-error"
)
