package responses

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// fieldFault is a fault about a field of the request.
func fieldFault(code fault.Code, field, what string) error {
	return &fault.Fault{
		Code: code, Op: "read request", Detail: field + ": " + what, Err: pipeline.NewFieldError(field, what),
	}
}

// errorObject is OpenAI's form of an error.
type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

// refuse answers a request for a stored response with an error.
func refuse(w http.ResponseWriter, err error) {
	answer := status.HTTP(err)
	var out struct {
		Error errorObject `json:"error"`
	}
	out.Error.Code, out.Error.Message = fault.Public(err)
	switch {
	case answer == http.StatusUnauthorized:
		out.Error.Type = "authentication_error"
		w.Header().Set("WWW-Authenticate", "Bearer")
	case answer == http.StatusTooManyRequests:
		out.Error.Type = "rate_limit_error"
	case answer >= http.StatusInternalServerError:
		out.Error.Type = "server_error"
	default:
		out.Error.Type = "invalid_request_error"
	}
	if field := pipeline.FieldOf(err); field != "" {
		out.Error.Param = &field
	}
	w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	if after, ok := fault.RetryAfter(err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
	}
	b, _ := json.Marshal(out) // strings cannot fail
	send(w, answer, append(b, '\n'))
}
