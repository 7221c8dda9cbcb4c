package pipeline

import "errors"

// fieldError says what is wrong with a field of a request.
type fieldError struct{ field, what string }

// Error names the field first.
func (e *fieldError) Error() string { return e.field + ": " + e.what }

// NewFieldError returns an error that says what is wrong with a field, for requests that this package does
// not read.
func NewFieldError(field, what string) error { return &fieldError{field, what} }

// FieldOf returns the path of the field that an error of Decode is about, such as "max_tokens" or
// "messages[0].role"; "" where it is about none.
func FieldOf(err error) string {
	if e, ok := errors.AsType[*syntaxError](err); ok {
		return e.field
	}
	if e, ok := errors.AsType[*fieldError](err); ok {
		return e.field
	}
	return ""
}
