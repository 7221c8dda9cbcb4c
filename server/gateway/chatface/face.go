package chatface

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Face maps an API to the chat completions that the network serves, and back. It is used by many
// requests at once.
type Face interface {
	// Request reads a request's body. The error is a fault that names the field; see Refuse.
	Request(r *http.Request, body []byte) (Conversation, error)
	// Error writes an error as the API's clients read it, from the gateway's own answer, which has
	// OpenAI's form.
	Error(status int, openAI []byte) (mime string, body []byte)
}

// Router is a Face that does not map to chat completions alone.
type Router interface {
	// Route returns the method and path of the gateway's own request. It does not read the body.
	// With the method GET the body is read after the gateway's own answer, and is short.
	Route(r *http.Request) (method, path string)
}

// HeaderMapper is a Face with header fields of its own.
type HeaderMapper interface {
	// MapHeader changes the header of an answer before it is sent.
	MapHeader(h http.Header)
}

// Conversation is one request. It is used by one goroutine.
type Conversation interface {
	// Chat is the body of the gateway's own request.
	Chat() []byte
	// Answer maps a whole answer. The error is a fault.
	Answer(chat []byte) (mime string, body []byte, err error)
	// Stream maps a streamed answer; nil if the client wants none. It is called once.
	Stream() Stream
}

// Holder is a Conversation that holds more than its chat, or a Stream that holds what came, until its end.
type Holder interface {
	// Held is how many bytes that are.
	Held() int64
}

// Vectors is a Conversation whose answer has very many numbers, which it maps in little more than their bytes.
type Vectors interface {
	Vectors() bool
}

// Stream maps a streamed answer. Each method appends to dst what the client gets.
type Stream interface {
	Mime() string
	// Event maps the data of one event, which is not [DONE].
	Event(dst, data []byte) ([]byte, error)
	// End ends the answer: after [DONE] with nil, else with the object that follows "error": in the
	// event that ended it.
	End(dst []byte, failed []byte) []byte
}

// Pinger is a Stream that has a sign of life of its own, for a client that waits. Others get the
// gateway's comment, if they are server-sent events.
type Pinger interface {
	Ping(dst []byte) []byte
}

// Refuse returns the fault of a request whose field cannot be mapped. field is its path, such as
// "messages[0].role"; "" is the whole body.
func Refuse(field, what string) error {
	text := what
	if field != "" {
		text = field + ": " + what
	}
	return &fault.Fault{
		Code: fault.RequestUnreadable, Op: "read request", Detail: text, Err: pipeline.NewFieldError(field, what),
	}
}

// Decode reads JSON at a path of the request, "" is the whole body. Its errors name the field and what was
// found, never a type of this program.
func Decode(path string, in []byte, to any) error {
	err := json.Unmarshal(in, to)
	if err == nil {
		return nil
	}
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return Refuse(path, "the request is not JSON: "+err.Error())
	}
	field := strings.TrimPrefix(wrong.Field, "common.") // fields that requests share
	if path != "" && field != "" {
		field = path + "." + field
	}
	return Refuse(cmp.Or(field, path), found(wrong.Value)+" is not what is expected here")
}

// found names a kind of JSON value with its article.
func found(kind string) string {
	switch kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + kind
}
