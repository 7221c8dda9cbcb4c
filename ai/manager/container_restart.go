package manager

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// awaitRestart waits until the next container may start after one that failed. It reports false when ctx ended
// first.
func (r *runner) awaitRestart(ctx context.Context, e exit) bool {
	if r.openRoot(e.why) {
		return true
	}
	if e.served >= healthyEnough {
		r.retries.reset()
	}
	if e.served == 0 && r.reservation != nil {
		r.shared.devices.lendToCold(r.reservation)
	}
	if !r.waitRetry(ctx, r.retries.wait()) {
		return false
	}
	if r.entry.cold() {
		r.enter(inference.Absent)
	}
	return true
}

// openRoot gives the next container a writable root if this one failed because of its
// read-only root and its entry does not decide it. It reports whether that is new, so
// that the next container may start at once.
func (r *runner) openRoot(why error) bool {
	if !errors.Is(why, fault.ContainerRootReadOnly) || r.entry.Sandbox.Root != models.RootAuto || r.rootWritable {
		return false
	}
	r.rootWritable = true
	r.log.Warn("a model's container is restarted with a writable root file system; "+
		`set "read_only": false in its entry to allow this, true to forbid it`,
		"pipeline", r.model.id.Capability.Pipeline(), "model", r.model.id.ID, fault.Attr(why))
	return true
}

// waitRetry waits until the next attempt: for a time, or until something was pulled. It
// reports false when ctx ended first.
func (r *runner) waitRetry(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.pulled:
	case <-ctx.Done():
		return false
	}
	return true
}
