package fault

import (
	"errors"
	"time"
)

// After makes an error of a fault that says when to come back.
func After(f *Fault, after time.Duration) error { return &delayed{f, after} }

// RetryAfter returns how long to wait before a request is sent again, in whole seconds, at
// least one, as the header Retry-After has it; false where the error does not say.
func RetryAfter(err error) (time.Duration, bool) {
	d, ok := errors.AsType[*delayed](err)
	if !ok {
		return 0, false
	}
	return max((d.after+time.Second-1)/time.Second, 1) * time.Second, true
}

type delayed struct {
	*Fault
	after time.Duration
}

// Unwrap is the fault itself.
func (d *delayed) Unwrap() error { return d.Fault }
