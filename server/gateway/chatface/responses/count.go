package responses

import (
	"encoding/json"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// CountPath is where the tokens of a request are counted.
const CountPath = Path + "/input_tokens"

// Counter says about how many tokens a request has, without asking a model.
type Counter struct{ *Face }

var _ chatface.Router = Counter{} // Read-only.

// Route returns where the gateway estimates.
func (Counter) Route(*http.Request) (method, path string) {
	return http.MethodPost, "/v1/chat/completions/input_tokens"
}

// Request reads a request as Face does.
func (c Counter) Request(r *http.Request, body []byte) (chatface.Conversation, error) {
	conv, err := c.Face.Request(r, body)
	if err != nil {
		return nil, err
	}
	if conv.Stream() != nil {
		return nil, chatface.Refuse("stream", "a count is not streamed")
	}
	if own, ok := conv.(*conversation); ok {
		own.keep, own.turn = false, nil // nothing is answered that could be stored
	}
	return counting{conv}, nil
}

// counting is a request whose tokens are counted.
type counting struct{ chatface.Conversation }

// Answer passes the estimate on, and that it is one.
func (counting) Answer(chat []byte) (mime string, body []byte, err error) {
	var in struct {
		Tokens    chatface.TokenCount `json:"input_tokens"`
		Estimated bool                `json:"estimated"`
	}
	if err := json.Unmarshal(chat, &in); err != nil {
		return "", nil, fault.Wrap(fault.AnswerUnreadable, opMap, err)
	}
	out := appendNumber([]byte(`{"object":"response.input_tokens"`), "input_tokens", int64(in.Tokens))
	if in.Estimated {
		out = append(out, `,"estimated":true`...)
	}
	return mimeJSON, append(out, '}'), nil
}
