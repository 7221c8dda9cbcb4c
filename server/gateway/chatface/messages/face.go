package messages

import (
	"encoding/json"
	"net/http"

	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/rpc"
)

// jsonType is the media type of whole answers.
const jsonType = "application/json"

// Face is POST /v1/messages.
type Face struct {
	// NewID makes the ID of an answer that came without one.
	NewID func() string
}

// Request reads a request. Errors are RequestUnreadable.
func (f Face) Request(_ *http.Request, body []byte) (chatface.Conversation, error) {
	in, err := read(body)
	if err != nil {
		return nil, err
	}
	if in.MaxTokens < 1 {
		return nil, chatface.Refuse("max_tokens", "a whole number of at least 1 is required")
	}
	out, err := in.chat()
	if err != nil {
		return nil, err
	}
	return &conversation{face: f, chat: out, model: in.Model, stops: in.Stops, thinking: in.thinks(),
		stream: in.Stream}, nil
}

// Error writes an error.
func (Face) Error(status int, openAI []byte) (mime string, body []byte) {
	return errorBody(status, openAI)
}

// MapHeader gives the request's ID the name that clients of this API look for.
func (Face) MapHeader(h http.Header) { mapHeader(h) }

// Counter is POST /v1/messages/count_tokens.
type Counter struct{}

// Route returns where the gateway estimates.
func (Counter) Route(*http.Request) (method, path string) {
	return http.MethodPost, "/v1/chat/completions/input_tokens"
}

// Request reads a request, which needs no max_tokens. Errors are RequestUnreadable.
func (Counter) Request(_ *http.Request, body []byte) (chatface.Conversation, error) {
	in, err := read(body)
	if err != nil {
		return nil, err
	}
	if in.Stream {
		return nil, chatface.Refuse("stream", "a count is not streamed")
	}
	out, err := in.chat()
	return counting{out}, err
}

// Error writes an error.
func (Counter) Error(status int, openAI []byte) (mime string, body []byte) {
	return errorBody(status, openAI)
}

// MapHeader is Face's.
func (Counter) MapHeader(h http.Header) { mapHeader(h) }

func mapHeader(h http.Header) {
	if id := h[rpc.RequestIDHeader]; len(id) > 0 {
		h["Request-Id"] = id
	}
}

// counting is a request to count tokens.
type counting struct{ chat []byte }

// Chat is the gateway's own request.
func (c counting) Chat() []byte { return c.chat }

// Answer passes the estimate on, and that it is one.
func (counting) Answer(in []byte) (mime string, body []byte, err error) {
	var count struct {
		InputTokens int64 `json:"input_tokens"`
		Estimated   bool  `json:"estimated"`
	}
	if err := json.Unmarshal(in, &count); err != nil {
		return "", nil, unreadable(err)
	}
	body, err = chatface.Encode(count)
	return jsonType, body, err
}

// Stream is nil.
func (counting) Stream() chatface.Stream { return nil }

// errorTypes are the API's types of errors. Read-only.
var errorTypes = map[int]string{
	http.StatusBadRequest:            "invalid_request_error",
	http.StatusUnauthorized:          "authentication_error",
	http.StatusPaymentRequired:       "billing_error",
	http.StatusForbidden:             "permission_error",
	http.StatusNotFound:              "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:       "rate_limit_error",
	http.StatusServiceUnavailable:    "overloaded_error",
	http.StatusGatewayTimeout:        "timeout_error",
}

// errorType returns the API's type of an error.
func errorType(status int) string {
	if name, ok := errorTypes[status]; ok {
		return name
	}
	if status < http.StatusInternalServerError {
		return "invalid_request_error"
	}
	return "api_error"
}

// apiError is an error as the API has it, whole and as an event.
type apiError struct {
	Type  string      `json:"type"`
	Error errorObject `json:"error"`
}

type errorObject struct {
	Type    string   `json:"type"`
	Message string   `json:"message"`
	Details *details `json:"details,omitempty"`
}

// details are the API's own code of an error, and what it is about.
type details struct {
	Code        string   `json:"error_code"`
	Unsupported []string `json:"unsupported"`
}

func errorBody(status int, openAI []byte) (mime string, body []byte) {
	var in struct {
		Error openAIError `json:"error"`
	}
	_ = json.Unmarshal(openAI, &in) // what is no object has no message
	return jsonType, in.Error.encode(status)
}

// openAIError is the gateway's own form of an error.
type openAIError struct {
	Message string `json:"message"`
	Param   string `json:"param"`
	// Status is set in errors that end a stream.
	Status int `json:"status"`
}

func (e *openAIError) encode(status int) []byte {
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	object := errorObject{Type: errorType(status), Message: e.Message}
	if e.Param == threadField {
		// Clients then send the whole conversation.
		object.Details = &details{"thread_unsupported_request", []string{threadField}}
	}
	out, _ := chatface.Encode(apiError{"error", object}) // strings cannot fail
	return out
}
