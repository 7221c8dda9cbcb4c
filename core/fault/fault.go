// Package fault names every condition an operator or a peer can meet.
//
// A Code is a stable token found in logs, API bodies, metrics and documents. One
// table gives each code its class, cause and remedy; documents and help are
// generated from it. The package decides nothing about transports: server maps
// classes to HTTP and gRPC statuses in one place.
//
// suggest.go finds the known name that a mistyped one most likely meant, for messages that ask "did
// you mean".
package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// Code is a condition's stable token.
type Code string

// Class says how a caller should take a condition.
type Class int

// The classes. Server maps them to statuses.
const (
	Internal Class = iota
	BadRequest
	Unauthenticated
	Forbidden
	NotFound
	Busy
	Payment
	Upstream
	Config
)

// Fault is an error an operator can act on.
type Fault struct {
	Code Code
	// Op is what was attempted, "admit session".
	Op string
	// Detail is public text with the facts, "10 of 10 in use".
	Detail string
	// Err is the cause; it stays in our own log.
	Err error
}

// New makes a fault with a public detail.
func New(code Code, op, detail string) *Fault { return &Fault{Code: code, Op: op, Detail: detail} }

// Wrap makes a fault around a cause.
func Wrap(code Code, op string, err error) *Fault { return &Fault{Code: code, Op: op, Err: err} }

// Recovered is the error of a panic whose value was recovered, with the stack. It wraps a value that is an error.
func Recovered(v any) error {
	if err, ok := v.(error); ok {
		return fmt.Errorf("panic: %w\n%s", err, debug.Stack())
	}
	return fmt.Errorf("panic: %v\n%s", v, debug.Stack())
}

// Error returns the text for our own log: attempt, code, detail, cause.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Op != "" {
		b.WriteString(f.Op)
		b.WriteString(": ")
	}
	b.WriteString(string(f.Code))
	if f.Detail != "" {
		b.WriteString(" (")
		b.WriteString(f.Detail)
		b.WriteString(")")
	}
	if f.Err != nil {
		b.WriteString(": ")
		b.WriteString(f.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Is matches a Code used as a target: errors.Is(err, fault.OrchestratorCapped).
func (f *Fault) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == f.Code
}

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return string(c) }

// CodeOf returns the code of the outermost fault in err's chain. An error
// without one is Canceled or DeadlineExceeded when a context's end is behind
// it, else Unexpected.
func CodeOf(err error) Code {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Code
	}
	if c, ok := errors.AsType[Code](err); ok {
		return c
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	}
	return Unexpected
}
