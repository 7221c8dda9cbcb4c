package pipeline

import (
	"context"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func decode(p Pipeline, op inference.Operation, contentType string, body []byte) (*Request, error) {
	return nil, fault.New(fault.JobUnreadable, "decode request", "")
}

// Measure works out the request's units. ctx bounds the measuring of audio, for
// which media is needed; it may be nil for every other pipeline.
//
// Errors are faults of class bad request: ImageUnreadable, AudioUnreadable,
// UnitsTooMany.
func (r *Request) Measure(ctx context.Context, media MediaProbe) error { return nil }

// NetworkLLM is a chat request in the form of the existing network: the seven
// fields that its nodes know, contents as plain text, max_tokens and stream
// always there. body is one that Decode took for llm; for any other the result
// is nil. What the form has no word for is left out; Request.Plain says whether
// anything is.
func NetworkLLM(body []byte) []byte { return nil }

// PrefixHashes are marks of a chat request's beginnings, the longest last: two
// conversations that begin alike share their first marks. They are the same in
// every process. body is one that Decode took for llm; for any other there are
// none.
func PrefixHashes(body []byte) []uint64 { return nil }

// Complete fills in what a gateway says where its client said nothing: the
// pipeline's default model and the sizes that the network prices such a request
// at. The body it returns is the given one if nothing was missing.
func Complete(id capability.ID, contentType string, body []byte) ([]byte, error) { return body, nil }
