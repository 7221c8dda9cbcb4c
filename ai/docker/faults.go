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
	if f := connectionFault(op, err); f != nil {
		return f
	}
	found := Classify(Evidence{Engine: err.Error()})
	return &fault.Fault{Code: found.Code, Op: op, Detail: found.Detail, Err: cleanError{err}}
}

// pullFault is fault for errors of a pull.
func (e *Engine) pullFault(op, image string, err error) error {
	if f := connectionFault(op, err); f != nil {
		return f
	}
	found := ClassifyPull(err.Error())
	detail := image
	if found.Detail != "" {
		detail += ": " + found.Detail
	}
	return &fault.Fault{Code: found.Code, Op: op, Detail: detail, Err: cleanError{err}}
}

// connectionFault returns the fault of a request without an answer: its context ended, or the
// engine is unreachable, denies access or closed the connection. It is nil for the rest.
func connectionFault(op string, err error) *fault.Fault {
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.CodeOf(err), op, err)
	}
	if client.IsErrConnectionFailed(err) {
		if strings.Contains(err.Error(), "permission denied") {
			return fault.Wrap(fault.DockerForbidden, op, cleanError{err})
		}
		return &fault.Fault{Code: fault.DockerMissing, Op: op, Detail: "nothing answers", Err: cleanError{err}}
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return &fault.Fault{Code: fault.DockerMissing, Op: op, Detail: "the engine closed the connection", Err: err}
		}
	}
	return nil
}

// cleanError is an error whose external text is cleaned.
type cleanError struct{ err error }

func (w cleanError) Error() string {
	return clean(strings.TrimPrefix(w.err.Error(), daemonPrefix))
}
func (w cleanError) Unwrap() error { return w.err }
