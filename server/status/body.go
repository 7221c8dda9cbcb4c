package status

import (
	"encoding/json"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// Body is the JSON of a refusal on our own APIs.
type Body struct {
	Error Refusal `json:"error"`
}

// Refusal is the public part of a fault.
type Refusal struct {
	// Code is the stable token to branch on.
	Code string `json:"code"`
	// Message is for humans.
	Message string `json:"message"`
	// Retryable: the same request may succeed elsewhere or later.
	Retryable bool `json:"retryable"`
}

// BodyOf returns the JSON body for err.
func BodyOf(err error) Body {
	code, text := fault.Public(err)
	return Body{Refusal{Code: code, Message: text, Retryable: fault.Retryable(err)}}
}

// WriteJSON answers a request of our own APIs with err.
func WriteJSON(w http.ResponseWriter, err error) {
	body, _ := json.Marshal(BodyOf(err)) // strings and a bool cannot fail
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(HTTP(err))
	_, _ = w.Write(append(body, '\n')) // the client may have closed the connection
}
