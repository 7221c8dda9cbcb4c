// Package lifecycle starts a process's components in order and stops them in
// reverse. It is not a supervisor: a component that returns without being asked
// has failed, and the process ends. cmd/tutti is its caller.
package lifecycle

import "context"

// A Component runs until ctx ends or it fails, and calls ready once it can
// serve. Returning nil or ctx's error after ctx ended is a clean stop; returning
// anything before is a failure that names the component.
type Component interface {
	Name() string
	Run(ctx context.Context, ready func()) error
}
