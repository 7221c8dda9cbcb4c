package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// embedRequest is a request to /api/embed.
type embedRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Dimensions int64           `json:"dimensions"`
}

// oldEmbedRequest is a request to /api/embeddings.
type oldEmbedRequest struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
}

// embeddingRequest is the gateway's own.
type embeddingRequest struct {
	Model      string          `json:"model"`
	Input      json.RawMessage `json:"input"`
	Dimensions int64           `json:"dimensions,omitempty"`
}

// embedding is one request for embeddings.
type embedding struct {
	now   func() time.Time
	began time.Time
	chat  []byte
	model string
	// one: the answer has the only vector.
	one bool
}

// readEmbed reads a request to /api/embed.
func readEmbed(f *face, began time.Time, body []byte) (chatface.Conversation, error) {
	var in embedRequest
	if err := chatface.Decode("", body, &in); err != nil {
		return nil, err
	}
	if in.Model == "" {
		return nil, chatface.Refuse("model", "the request names no model")
	}
	if len(in.Input) == 0 || in.Input[0] != '"' && in.Input[0] != '[' {
		return nil, chatface.Refuse("input", "a text or a list of texts is expected")
	}
	return newEmbedding(f, began, embeddingRequest(in), false)
}

// readOldEmbed reads a request to /api/embeddings.
func readOldEmbed(f *face, began time.Time, body []byte) (chatface.Conversation, error) {
	var in oldEmbedRequest
	if err := chatface.Decode("", body, &in); err != nil {
		return nil, err
	}
	switch {
	case in.Model == "":
		return nil, chatface.Refuse("model", "the request names no model")
	case in.Prompt == "":
		return nil, chatface.Refuse("prompt", "the field is required")
	}
	text, _ := chatface.Encode(in.Prompt) // a string cannot fail
	return newEmbedding(f, began, embeddingRequest{Model: in.Model, Input: text}, true)
}

func newEmbedding(f *face, began time.Time, own embeddingRequest, one bool) (chatface.Conversation, error) {
	b, err := chatface.Encode(own)
	if err != nil {
		return nil, chatface.Refuse("", "the request is not JSON: "+err.Error())
	}
	return &embedding{now: f.now, began: began, chat: b, model: own.Model, one: one}, nil
}

// Chat is the gateway's own request.
func (e *embedding) Chat() []byte { return e.chat }

// Stream is nil.
func (*embedding) Stream() chatface.Stream { return nil }

// embedReply is the answer of /api/embed.
type embedReply struct {
	Model        string            `json:"model"`
	Embeddings   []json.RawMessage `json:"embeddings"`
	Total        int64             `json:"total_duration"`
	PromptTokens int64             `json:"prompt_eval_count"`
}

// oldEmbedReply is the answer of /api/embeddings.
type oldEmbedReply struct {
	Embedding json.RawMessage `json:"embedding"`
}

// Vectors are what the answer has.
func (*embedding) Vectors() bool { return true }

// maxVectors bounds the vectors of an answer.
const maxVectors = 64 << 10

// vector is one of an answer's.
type vector struct {
	Index     int             `json:"index"`
	Embedding json.RawMessage `json:"embedding"`
}

// vectorList is a list of vectors. What is none ends it: a list of very many empty elements would come to many times
// its bytes.
type vectorList []vector

// UnmarshalJSON reads the list.
func (l *vectorList) UnmarshalJSON(in []byte) error {
	d := json.NewDecoder(bytes.NewReader(in))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("no list of embeddings")
	}
	for d.More() {
		var v vector
		if err := d.Decode(&v); err != nil {
			return err
		}
		if len(v.Embedding) == 0 || len(*l) == maxVectors {
			return errors.New("an embedding without a vector, or too many of them")
		}
		*l = append(*l, v)
	}
	return nil
}

// Answer maps an answer. The error is AnswerUnreadable.
func (e *embedding) Answer(in []byte) (mime string, body []byte, err error) {
	var done struct {
		Data  vectorList         `json:"data"`
		Usage chatface.ChatUsage `json:"usage"`
	}
	if err := json.Unmarshal(in, &done); err != nil {
		return "", nil, unreadable(err)
	}
	vectors := make([]json.RawMessage, len(done.Data))
	for _, d := range done.Data {
		if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil || len(d.Embedding) == 0 ||
			d.Embedding[0] != '[' {
			return "", nil, fault.New(fault.AnswerUnreadable, opMap, "the answer's embeddings are not one list of numbers for "+
				"each text")
		}
		vectors[d.Index] = d.Embedding
	}
	if !e.one {
		body, err = chatface.Encode(embedReply{Model: e.model, Embeddings: vectors,
			Total: max(1, e.now().Sub(e.began).Nanoseconds()), PromptTokens: int64(done.Usage.Prompt)})
		return jsonType, body, err
	}
	if len(vectors) != 1 {
		return "", nil, fault.New(fault.AnswerUnreadable, opMap, "the answer does not have one embedding")
	}
	body, err = chatface.Encode(oldEmbedReply{vectors[0]})
	return jsonType, body, err
}
