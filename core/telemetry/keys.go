package telemetry

import (
	"net/url"
	"strconv"

	"github.com/tuttinode/tutti/core/inference"
)

// Attributes by OpenTelemetry's conventions.
const (
	GenAIOperation    Key = "gen_ai.operation.name"
	GenAIProvider     Key = "gen_ai.provider.name"
	GenAIRequestModel Key = "gen_ai.request.model"
	GenAIModel        Key = "gen_ai.response.model"
	GenAIMaxTokens    Key = "gen_ai.request.max_tokens"
	GenAIInputTokens  Key = "gen_ai.usage.input_tokens"
	GenAIOutputTokens Key = "gen_ai.usage.output_tokens"
	// GenAIFirstChunk is the time to the first piece of an answer, in seconds.
	GenAIFirstChunk Key = "gen_ai.response.time_to_first_chunk"

	HTTPMethod    Key = "http.request.method"
	HTTPRoute     Key = "http.route"
	HTTPStatus    Key = "http.response.status_code"
	ServerAddress Key = "server.address"
	ServerPort    Key = "server.port"
	ErrorType     Key = "error.type"
)

// Attributes of the network's own.
const (
	Pipeline     Key = "tutti.pipeline"
	RequestID    Key = "tutti.request.id"
	Orchestrator Key = "tutti.orchestrator"
	Worker       Key = "tutti.worker"
	Attempts     Key = "tutti.attempts"
	QueueTime    Key = "tutti.queue.duration"
	Units        Key = "tutti.units"
	// Tickets are those of a payment, Winners those of them that won. Value is what they are worth on average, in wei, as
	// text: it may be a fraction, and more than 64 bits.
	Tickets Key = "tutti.payment.tickets"
	Winners Key = "tutti.payment.winners"
	Value   Key = "tutti.payment.value"
	// Transaction is the hash of the transaction that redeems a ticket. FaceValue, Paid and GasFee are in wei, as text.
	Transaction Key = "tutti.transaction"
	FaceValue   Key = "tutti.ticket.face_value"
	Paid        Key = "tutti.ticket.paid"
	GasFee      Key = "tutti.transaction.fee"
	// SegmentNumber and Renditions are a video segment's.
	SegmentNumber Key = "tutti.segment.number"
	Renditions    Key = "tutti.segment.renditions"
)

// Network is the provider of models behind orchestrators.
const Network = "livepeer"

// Operation is the conventions' name of an operation of llm. Other pipelines keep theirs.
func Operation(op inference.Operation) string {
	switch op {
	case inference.Completion:
		return "text_completion"
	case inference.Embedding:
		return "embeddings"
	}
	return string(op)
}

// Job sets the attributes of an AI job.
func (s Span) Job(model inference.Model, op inference.Operation) {
	if s.span == nil {
		return
	}
	s.Text(GenAIOperation, Operation(op))
	s.Text(GenAIRequestModel, model.ID)
	s.Text(Pipeline, model.Pipeline())
}

// Peer sets the address of the node that is called.
func (s Span) Peer(uri string) {
	if s.span == nil {
		return
	}
	u, err := url.Parse(uri)
	if err != nil {
		return
	}
	s.Text(ServerAddress, u.Hostname())
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		s.Int(ServerPort, int64(port))
	}
}

// Used sets the tokens of an answer; those that are unknown are left out.
func (s Span) Used(u inference.Usage) {
	if s.span == nil {
		return
	}
	if u.Prompt > 0 {
		s.Int(GenAIInputTokens, int64(u.Prompt))
	}
	if u.Completion > 0 {
		s.Int(GenAIOutputTokens, int64(u.Completion))
	}
}
