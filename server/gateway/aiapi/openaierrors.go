package aiapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// busyRetry is the Retry-After of a refusal without a time of its own.
const busyRetry = time.Second

// errorBody is OpenAI's error object. The network's gateways send only the message.
type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
	// Status is the HTTP status of an error that occurred after the answer had begun.
	Status int `json:"status,omitempty"`
}

// openAICodes are the codes that OpenAI's clients look for. Read-only.
var openAICodes = map[fault.Code]string{
	fault.ModelUnknown:       "model_not_found",
	fault.KeyMissing:         "invalid_api_key",
	fault.KeyUnknown:         "invalid_api_key",
	fault.KeyRevoked:         "invalid_api_key",
	fault.KeyExpired:         "invalid_api_key",
	fault.BudgetSpent:        "insufficient_quota",
	fault.RateLimited:        "rate_limit_exceeded",
	fault.TokenRateLimited:   "rate_limit_exceeded",
	fault.ConcurrencyLimited: "rate_limit_exceeded",
	fault.ModelRateLimited:   "rate_limit_exceeded",
}

// errorType is OpenAI's error type for a status.
func errorType(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusPaymentRequired:
		return "insufficient_quota"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// errorObjectOf returns the public form of err, with its status.
func errorObjectOf(err error) (errorObject, int) {
	code, text := fault.Public(err)
	answer := status.HTTP(err)
	if refused, ok := errors.AsType[*inference.RefusedError](err); ok && fault.CodeOf(err) == fault.JobRefused {
		answer = refused.Status
	}
	o := errorObject{Message: text, Type: errorType(answer), Param: param(pipeline.FieldOf(err)), Code: code}
	if word, ok := openAICodes[fault.Code(code)]; ok {
		o.Code = word
	}
	return o, answer
}

// param returns a field's name in OpenAI's error object.
func param(field string) *string {
	if field == "" {
		return nil
	}
	return &field
}

// refuse answers with the status and object of an error.
func (x *relayedRequest) refuse(err error) {
	object, answer := errorObjectOf(err)
	h := x.w.Header()
	h.Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	if after, ok := fault.RetryAfter(err); ok {
		h.Set("Retry-After", seconds(after))
	} else if answer == http.StatusTooManyRequests || answer == http.StatusServiceUnavailable {
		h.Set("Retry-After", seconds(busyRetry))
	}
	if answer == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	x.sendJSON(answer, errorBody{object})
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// sendJSON answers with v.
func (x *relayedRequest) sendJSON(answer int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		// Nothing that is sent here can fail to encode.
		answer, b = http.StatusInternalServerError, []byte(`{"error":{"message":"Internal Server Error"}}`)
	}
	x.sendWhole(answer, "application/json", append(b, '\n'))
}

// sendWhole sends a complete body.
func (x *relayedRequest) sendWhole(answer int, contentType string, b []byte) {
	h := x.w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	h["X-Content-Type-Options"] = nosniff
	if answer != http.StatusOK {
		h["Cache-Control"] = noStore
	}
	x.rateHeaders()
	x.costHeaders()
	x.stats.Status = answer
	if len(b) > socketBuffer {
		x.deadline(time.Now())
	}
	x.w.WriteHeader(answer)
	n, _ := x.w.Write(b) // a disconnected client needs no error
	x.sent += int64(n)
	x.clearDeadline()
}

// sendError sends an error in a stream that has begun.
func (x *relayedRequest) sendError(err error) {
	object, answer := errorObjectOf(err)
	object.Status = answer
	b, _ := json.Marshal(errorBody{object}) // strings and a number cannot fail
	event := make([]byte, 0, len(b)+12)
	if x.midEvent {
		event = append(event, "\n\n"...) // ends the incomplete event
	}
	event = append(event, "data: "...)
	event = append(event, b...)
	event = append(event, "\n\n"...)
	_ = x.send(event) // a disconnected client needs no error
	x.clearDeadline()
}

// Values of headers, made once. Read-only.
var (
	nosniff = []string{"nosniff"}
	noStore = []string{"no-store"}
)
