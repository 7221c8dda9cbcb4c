package http1

import (
	"errors"
	"fmt"
)

// The errors of an answer. They are wrapped in errors that name the peer.
var (
	// ErrMalformed: the answer is not HTTP/1.1, or is ambiguous.
	ErrMalformed = errors.New("malformed HTTP/1.1 answer")
	// ErrTooLarge: the answer's head, a chunk's size line or the trailers exceed their
	// bounds.
	ErrTooLarge = errors.New("HTTP head too large")
	// ErrNoAnswer: the connection ended before the first byte of an answer.
	ErrNoAnswer = errors.New("connection closed without an answer")
	// ErrRequest: the request is invalid.
	ErrRequest = errors.New("request cannot be sent")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

func unsendable(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRequest, fmt.Sprintf(format, args...))
}

// ConnectError means that no connection was made, so that nothing was sent.
type ConnectError struct{ Err error }

// Error returns the cause's text.
func (e *ConnectError) Error() string { return "connect: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ConnectError) Unwrap() error { return e.Err }
