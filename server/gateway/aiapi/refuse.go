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
	"github.com/tuttinode/tutti/server/status"
)

// codeHeader carries the fault's code beside OpenAI's word for it.
const codeHeader = "Tutti-Code"

// busyRetry is when to come back where a refusal does not know better.
const busyRetry = time.Second

// errorBody is OpenAI's error object. That of the network's gateways has only
// the message.
type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
	// Status is the status that could not be sent, because the answer had begun.
	Status int `json:"status,omitempty"`
}

// openAICodes are the codes that OpenAI's clients look for, where it has a word.
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

// errorType is OpenAI's kind of error for a status.
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

// objectOf is what a client is told of err.
func objectOf(err error) (errorObject, int) {
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

// param is a field's name as OpenAI's error object has it.
func param(field string) *string {
	if field == "" {
		return nil
	}
	return &field
}

// refuse answers with an error's status and object.
func (x *exchange) refuse(err error) {
	object, answer := objectOf(err)
	h := x.w.Header()
	h.Set(codeHeader, string(fault.CodeOf(err)))
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
func (x *exchange) sendJSON(answer int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		// Nothing that is sent here can fail; if it does, it is our defect.
		answer, b = http.StatusInternalServerError, []byte(`{"error":{"message":"Internal Server Error"}}`)
	}
	x.sendWhole(answer, "application/json", append(b, '\n'))
}

// sendWhole answers with a body that is all there.
func (x *exchange) sendWhole(answer int, contentType string, b []byte) {
	h := x.w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	h["X-Content-Type-Options"] = nosniff
	if answer != http.StatusOK {
		h["Cache-Control"] = noStore
	}
	x.figures.Status = answer
	if len(b) > sureFit {
		x.deadline(time.Now())
	}
	x.w.WriteHeader(answer)
	n, _ := x.w.Write(b) // the client's absence is its own trouble
	x.sent += int64(n)
	x.sendDone()
}

// sendError tells of an error in a stream that has begun.
func (x *exchange) sendError(err error) {
	object, answer := objectOf(err)
	object.Status = answer
	b, _ := json.Marshal(errorBody{object}) // strings and a number cannot fail
	event := make([]byte, 0, len(b)+12)
	if x.mid {
		event = append(event, "\n\n"...) // ends the event that broke off
	}
	event = append(event, "data: "...)
	event = append(event, b...)
	event = append(event, "\n\n"...)
	_ = x.send(event) // who is gone needs no telling
	x.sendDone()
}

// Values of headers, made once.
var (
	nosniff = []string{"nosniff"}
	noStore = []string{"no-store"}
)
