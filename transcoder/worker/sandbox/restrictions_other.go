//go:build !linux

package sandbox

import "errors"

// errNone is the reason why restrictions are missing.
var errNone = errors.New("not on this system; the process is bounded by its job alone")

// Watch is a list of system calls elsewhere.
func Watch() error { return errNone }

// first returns the restrictions that apply before the engine is opened: none, the parent has put the
// process into its job.
func first(int, Options) []restriction { return nil }

// last returns those that this system does not have.
func last(Options) []restriction {
	return []restriction{{Everything, func() error { return errNone }}}
}
