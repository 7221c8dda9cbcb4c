package keys

import (
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Limited is an error that says when to come back.
type Limited interface {
	error
	RetryAfter() time.Duration
}

// RetryAfter is how long to wait before the request is sent again, in whole
// seconds, at least one, as the header Retry-After has it; false where the error
// does not say.
func RetryAfter(err error) (time.Duration, bool) {
	var l Limited
	if !errors.As(err, &l) {
		return 0, false
	}
	d := l.RetryAfter()
	return max((d+time.Second-1)/time.Second, 1) * time.Second, true
}

// Limit makes a fault that says when to come back.
func Limit(f *fault.Fault, after time.Duration) error { return &limited{f, after} }

type limited struct {
	fault *fault.Fault
	after time.Duration
}

func (l *limited) Error() string             { return l.fault.Error() }
func (l *limited) Unwrap() error             { return l.fault }
func (l *limited) RetryAfter() time.Duration { return l.after }

// opAdmit is what is attempted here.
const opAdmit = "admit request"

// refuse makes a refusal; after is zero where waiting does not help.
func refuse(code fault.Code, after time.Duration, detail string) error {
	f := fault.New(code, opAdmit, detail)
	if after <= 0 {
		return f
	}
	return Limit(f, after)
}
