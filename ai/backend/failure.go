package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// errStalled ends a request whose runner sent nothing for too long.
var errStalled = errors.New("the runner sent nothing")

// name returns the runner's name in texts.
func (s *Server) name() string { return inference.RunnerName(s.options.Pipeline, s.options.Container) }

// noAnswer is the fault of a request without an answer.
func (s *Server) noAnswer(ctx context.Context, op string, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStalled):
		return s.fault(fault.RunnerStalled, op, "does not answer", cause)
	case cause != nil:
		return fmt.Errorf("%s: %w", op, cause)
	}
	if reason := inference.TLSReason(err); reason != "" {
		return s.tlsFault(op, reason, err)
	}
	return s.fault(fault.RunnerUnreachable, op, "cannot be reached: "+reachText(err), err)
}

// broken is the fault of a truncated answer.
func (s *Server) broken(ctx context.Context, err error) error {
	const op = "read runner's answer"
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStalled):
		return s.fault(fault.RunnerStalled, op, "went silent in the middle of an answer", cause)
	case cause != nil:
		return fmt.Errorf("%s: %w", op, cause)
	}
	return s.fault(fault.RunnerBroke, op, "broke off in the middle of an answer", err)
}

func (s *Server) fault(code fault.Code, op, what string, err error) *fault.Fault {
	return &fault.Fault{Code: code, Op: op, Detail: s.name() + " " + what, Err: err}
}

// reachText returns the public part of a connection's error: no addresses.
func reachText(err error) string {
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.As(err, &dns):
		return "no such host"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		return "timed out"
	}
	return "no answer"
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// clientError reports whether a status is the client's mistake.
func clientError(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// refusal returns the fault code of an error status, false for a client's mistake.
func (s *Server) refusal(status int, body []byte) (fault.Code, bool) {
	text := strings.ToLower(inference.Message(body))
	switch {
	case wrongModel(text) && status < 500:
		return fault.RunnerModelMissing, true
	case clientError(status):
		return "", false
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.RunnerAuth, true
	case status == http.StatusNotFound && strings.Contains(text, "model"):
		return fault.RunnerModelMissing, true
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return fault.OperationUnsupported, true
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return fault.RunnerBusy, true
	case status < 200, status >= 300 && status < 400:
		return fault.RunnerGarbled, true
	case outOfMemory(text):
		return fault.RunnerOutOfMemory, true
	}
	return fault.RunnerFailed, true
}

// wrongModel: the network's runners answer 400 when they hold another model,
// which is the operator's mistake and not the client's.
func wrongModel(text string) bool {
	return strings.Contains(text, "pipeline configured with") && strings.Contains(text, "but called with")
}

// outOfMemory matches the error texts of inference engines.
func outOfMemory(text string) bool {
	for _, pattern := range []string{
		"out of memory", "outofmemory", "cuda_error_out_of_memory", "failed to allocate",
		"requires more system memory",
	} {
		if strings.Contains(text, pattern) {
			return true
		}
	}
	return false
}
