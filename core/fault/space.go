package fault

import (
	"errors"
	"slices"
	"syscall"
)

// WrapWrite makes a fault around a failed write: DataDiskFull where a disk or a quota is
// full, whatever was to be written there, and code otherwise.
func WrapWrite(code Code, op string, err error) *Fault {
	if OutOfSpace(err) {
		code = DataDiskFull
	}
	return Wrap(code, op, err)
}

// OutOfSpace reports whether the operating system had no space for what was written.
func OutOfSpace(err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(noSpace(), number)
}
