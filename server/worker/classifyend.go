package worker

import (
	"regexp"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
)

// The network's texts for a registration that is refused permanently.
const (
	textSecret   = "invalid secret"
	textCapacity = "zero capacity"
)

// reset begins the text of a stream that broke off without a status of the orchestrator.
const reset = "stream terminated by RST_STREAM"

// pingsForbidden is in the text of a connection that was closed for its pings.
const pingsForbidden = "too_many_pings"

// classifyEnd classifies the end of a registration. Permanent ends are WorkerSecretRefused,
// WorkerCertificateRefused, WorkerZeroCapacity and WorkerDismissed. After all others,
// WorkerNotRegistered and WorkerSameOrchestrator, the worker registers again.
func classifyEnd(addr string, err error) (f *fault.Fault, permanent bool) {
	const op = "register with the orchestrator"
	s := status.Convert(err)
	text := plain(s.Message())
	switch {
	case err == nil:
		return fault.New(fault.WorkerNotRegistered, op, addr+": it ended the registration"), false
	case text == textSecret && s.Code() == codes.Unauthenticated:
		return &fault.Fault{Code: fault.WorkerCertificateRefused, Op: op, Detail: addr, Err: err}, true
	case text == textSecret:
		return &fault.Fault{Code: fault.WorkerSecretRefused, Op: op, Detail: addr, Err: err}, true
	case text == textCapacity:
		return &fault.Fault{Code: fault.WorkerZeroCapacity, Op: op, Detail: addr, Err: err}, true
	case s.Code() == codes.AlreadyExists:
		return &fault.Fault{Code: fault.WorkerSameOrchestrator, Op: op, Detail: addr + ": " + text, Err: err}, false
	case s.Code() == codes.Canceled && !strings.HasPrefix(text, reset):
		return &fault.Fault{Code: fault.WorkerDismissed, Op: op, Detail: addr + ": " + text, Err: err}, true
	}
	return &fault.Fault{Code: fault.WorkerNotRegistered, Op: op, Detail: addr + ": " + text, Err: err}, false
}

// maxText bounds an orchestrator's error text, in bytes.
const maxText = 256

// ownPort is our end of a connection in an error's text. It is removed, so that a repeated
// problem has the same text. Read-only.
var ownPort = regexp.MustCompile(`tcp \S+->`)

// plain returns a text to be shown.
func plain(text string) string {
	text = ownPort.ReplaceAllString(text[:min(len(text), 4*maxText)], "tcp ")
	text = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
	return strings.TrimSpace(text)
}
