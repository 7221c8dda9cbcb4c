package inference

import "slices"

// Operation is what a request wants of a model. A pipeline of the network has one; llm
// has those that OpenAI-compatible servers offer.
type Operation string

// The operations. All others are named as their pipeline.
const (
	// Chat is a chat completion: the only one that nodes of the existing network
	// know for llm.
	Chat Operation = "chat"
	// Completion continues a text.
	Completion Operation = "completion"
	// Embedding turns texts into vectors.
	Embedding Operation = "embedding"
	// Rerank tells how well texts answer a query.
	Rerank Operation = "rerank"
	// Translation turns speech of any language into English text: audio-to-text by servers that are
	// not the network's.
	Translation Operation = "translation"
)

// TextOperations returns the operations of llm.
func TextOperations() []Operation { return []Operation{Chat, Completion, Embedding, Rerank} }

// Generates reports whether a model of llm writes its answer token by token. What does not is priced by what it reads,
// and comes as one piece.
func (op Operation) Generates() bool { return op != Embedding && op != Rerank }

// Reported returns the operations that runners say they can do.
func Reported() []Operation { return append(TextOperations(), Translation) }

// Does reports whether a runner that says what it can do can do an operation; nil stands for
// chat only. The one operation that pipelines other than llm have in the network is not among what it says.
func Does(operations []Operation, op Operation) bool {
	switch op {
	case Completion, Embedding, Rerank, Translation:
		return slices.Contains(operations, op)
	case Chat:
		return operations == nil || slices.Contains(operations, op)
	}
	return true
}

// Either returns what one of two runners can do; nil stands for chat only.
func Either(a, b []Operation) []Operation {
	if a == nil && b == nil {
		return nil
	}
	var out []Operation
	for _, list := range [][]Operation{a, b} {
		if list == nil {
			list = []Operation{Chat}
		}
		for _, op := range list {
			if !slices.Contains(out, op) {
				out = append(out, op)
			}
		}
	}
	return out
}

// Job is one request as it travels from the gateway to the runner. It is
// read-only once made: several attempts may share it.
type Job struct {
	Model     Model
	Operation Operation
	// Body is the request as the client wrote it, JSON or multipart form; it is not re-encoded on
	// the way unless a backend requires another form.
	Body        []byte
	ContentType string
	// Long, unless nil, are values in a file that Body has markers for: see Open.
	Long LongValues
	// Stream says that the answer is wanted as server-sent events.
	Stream bool
	// HideUsage says that the client did not ask for a stream's usage, so that an
	// event that carries only usage must not reach it.
	HideUsage bool
	// Needs are what the request asks of a language model.
	Needs Needs
	// MaxTokens is the request's own bound, 0 where it gave none.
	MaxTokens Tokens
	// Inputs is how many texts embeddings are asked for, 0 for other operations.
	Inputs int
	// Units is what the job is priced at.
	Units Units
	// NetworkUnits is what an orchestrator of the existing network debits for the job
	// where it counts otherwise, 0 where it debits Units.
	NetworkUnits Units
	// Client identifies the client, as far as the gateway knows: a key or an address. It is not
	// sent on.
	Client string
	// RequestID names the request in logs of every hop.
	RequestID string
}
