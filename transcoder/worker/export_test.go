package worker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/transcoder"
)

// StartWithoutNamespaces starts a lonely child as on a system that permits no
// namespaces, and returns the restrictions it lacks.
func StartWithoutNamespaces(ctx context.Context, o Options) (transcoder.Engine, []string, error) {
	p, _, err := launch(ctx, o.withDefaults(), shared)
	if err != nil {
		return nil, nil, err
	}
	return &isolatedEngine{p}, p.missing, nil
}

// Hurry shortens the waits for idle and stuck children.
func Hurry(o Options, idle, stuck time.Duration) Options {
	o.times = Options{}.withDefaults().times
	o.times.heartbeat = 20 * time.Millisecond
	o.times.silence, o.times.starved = 50, 400
	o.times.idle, o.times.stuck = idle, stuck
	return o
}
