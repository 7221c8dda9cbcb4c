package pipeline

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Defaults of the network, for what a request leaves open.
const (
	// DefaultMaxTokens is what a gateway asks for where its client gave no bound.
	DefaultMaxTokens inference.Tokens = 256
)

// MediaProbe measures media. Only audio needs it.
type MediaProbe interface {
	// Duration is the length of an audio file. data is not kept.
	Duration(ctx context.Context, data []byte) (time.Duration, error)
}

// MediaTools measure sound, convert it and decode images.
type MediaTools interface {
	MediaProbe
	// ConvertSound makes a file of another format of a file of sound, of at most limit bytes. sound is
	// not kept.
	ConvertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) ([]byte, error)
	// DecodeImage returns the pixels of a PNG, JPEG or WebP, row by row, as image.RGBA has them: limit bytes at
	// most. image is not kept.
	DecodeImage(ctx context.Context, image []byte, limit int64) ([]byte, error)
}

// Request is what the nodes on the way need to know of a request. The body
// itself stays as it came.
type Request struct {
	Model     inference.Model
	Operation inference.Operation
	// Stream asks for server-sent events; IncludeUsage for an event with the
	// usage among them.
	Stream, IncludeUsage bool
	// MaxTokens is the request's own bound, 0 where it gave none.
	MaxTokens inference.Tokens
	// OtherBound says that MaxTokens is not given as max_tokens but in a newer or
	// another word, which not every server knows.
	OtherBound bool
	// N is the number of answers asked for: choices or images, at least 1.
	N int
	// Inputs is how many texts embeddings are asked for, 0 for other operations.
	Inputs int
	// Plain says that the existing network's form of an llm request (NetworkLLM)
	// loses nothing of this one.
	Plain bool
	ForGateways
	// InputTokens is about how many tokens a language model reads: the prompt with all
	// that belongs to it, such as tools.
	InputTokens inference.Tokens
	// PromptBytes is the length of the prompt's text, for estimates.
	PromptBytes int
	// Labels are the client's own, of a request of llm.
	Labels Labels
	// Width, Height and FPS are those that the request asks of an image or video
	// (0: not given), or the size of the image it carries.
	Width, Height int
	FPS           float64
	// Duration is the length of the audio, once measured.
	Duration time.Duration
	// Units is what the job is priced at, once measured, NetworkUnits what an
	// orchestrator of the existing network debits where it counts otherwise.
	Units, NetworkUnits inference.Units

	measured
}

// ForGateways is what only gateways read of an llm request: fields as they are written, nil where the request does
// not have them, and what it needs.
type ForGateways struct {
	// Models is the list of models that it names instead of, or besides, its model.
	Models []byte
	// Provider is what it wants of the orchestrators.
	Provider []byte
	// Features are those that a language model needs for it, its operation among them.
	Features inference.FeatureSet
}

// measured is what Measure looks at.
type measured struct {
	// text is the length of what is to be spoken in bytes, characters its number of
	// code points, file the media to be measured.
	text, characters int
	file             []byte
}

// Decode reads a request's body as its pipeline has it. contentType is the
// header's; for a JSON pipeline it may be anything. body is not changed, and the
// Request keeps referring to it until Measure.
//
// Errors are faults of class bad request: JobUnreadable, ModelMissing,
// JobUnknown.
func Decode(id capability.ID, op inference.Operation, contentType string, body []byte) (*Request, error) {
	p, ok := Lookup(id)
	if !ok {
		return nil, fault.New(fault.JobUnknown, "decode request", "")
	}
	return decode(p, op, contentType, body)
}

// Parse is Decode and Measure in one.
func Parse(id capability.ID, op inference.Operation, contentType string, body []byte, media MediaProbe) (*Request,
	error) {
	r, err := Decode(id, op, contentType, body)
	if err != nil {
		return nil, err
	}
	if err := r.Measure(context.Background(), media); err != nil {
		return nil, err
	}
	return r, nil
}

// Job returns the request as it goes to a runner.
func (r *Request) Job(contentType string, body []byte, requestID string) *inference.Job {
	return &inference.Job{
		Model: r.Model, Operation: r.Operation, Body: body, ContentType: contentType, Needs: r.Needs(),
		Stream: r.Stream, HideUsage: r.Stream && !r.IncludeUsage,
		MaxTokens: r.MaxTokens, Inputs: r.Inputs, Units: r.Units, NetworkUnits: r.NetworkUnits, RequestID: requestID,
	}
}
