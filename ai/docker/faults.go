package docker

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
)

// fault gives an error of the client its code, with the engine's text as the cause.
func (e *Engine) fault(op string, err error) error {
	if f := cutOff(op, err); f != nil {
		return f
	}
	found := Recognise(Evidence{Engine: err.Error()})
	return &fault.Fault{Code: found.Code, Op: op, Detail: found.Detail, Err: worded{err}}
}

// pullFault is fault for errors of a pull.
func (e *Engine) pullFault(op, image string, err error) error {
	if f := cutOff(op, err); f != nil {
		return f
	}
	found := RecognisePull(err.Error())
	detail := image
	if found.Detail != "" {
		detail += ": " + found.Detail
	}
	return &fault.Fault{Code: found.Code, Op: op, Detail: detail, Err: worded{err}}
}

// connectionFault is the fault of a request without an answer: its context ended, or the
// engine is unreachable, denies access or closed the connection. It is nil for the rest.
func cutOff(op string, err error) *fault.Fault {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.CodeOf(err), op, err)
	}
	if client.IsErrConnectionFailed(err) {
		if strings.Contains(err.Error(), "permission denied") {
			return fault.Wrap(fault.DockerForbidden, op, worded{err})
		}
		return &fault.Fault{Code: fault.DockerMissing, Op: op, Detail: "nothing answers", Err: worded{err}}
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return &fault.Fault{Code: fault.DockerMissing, Op: op, Detail: "the engine closed the connection", Err: err}
		}
	}
	return nil
}

// cleanError is an error whose external text is cleaned.
type worded struct{ err error }

func (w worded) Error() string {
	return clean(strings.TrimPrefix(w.err.Error(), daemonPrefix))
}
func (w worded) Unwrap() error { return w.err }
