package manager

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// maxRemovalRetry is the longest wait between attempts to remove a container, which
	// occupies a GPU.
	maxRemovalRetry = 15 * time.Second
	// maxRemovalRetryAtStop applies while the node stops, which has only stopTimeout.
	maxRemovalRetryAtStop = 5 * time.Second
)

// cleanUp removes the container and then releases its slots and its port. It retries until
// it succeeds, and calls stuck with the reason of each failure. When the node stops it has
// stopTimeout left; the next start removes the rest.
func (c *container) cleanUp(ctx context.Context, stuck func(why error)) {
	if err := c.removeWithRetries(ctx, stuck); err != nil {
		c.r.log.Warn("a container could not be removed; the node's next start tries again",
			"container", string(c.id), fault.Attr(err))
		return
	}
	if c.port != 0 {
		c.r.shared.o.Ports.Release(c.port)
	}
	if c.allocation != nil {
		c.r.shared.devices.release(c.allocation)
	}
}

func (c *container) removeWithRetries(ctx context.Context, stuck func(why error)) error {
	last, cancel := outlive(ctx, stopTimeout)
	defer cancel()
	retries, stop := newBackoff(maxRemovalRetry, c.r.shared.o.Random), ctx.Done()
	for {
		err := c.remove(last)
		if err == nil || last.Err() != nil {
			return err
		}
		if ctx.Err() == nil {
			stuck(err)
		}
		timer := time.NewTimer(retries.wait())
		select {
		case <-timer.C:
		case <-stop:
			stop = nil
			retries = newBackoff(maxRemovalRetryAtStop, c.r.shared.o.Random)
		case <-last.Done():
		}
		timer.Stop()
	}
}

// outlive returns a context that ends a duration after ctx.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if sleep(longer, by) {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// remove stops and removes the container, if there is one.
func (c *container) remove(ctx context.Context) error {
	if c.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	engine := c.r.shared.o.Engine
	c.r.shared.events.unsubscribe(c.id)
	grace, enough := context.WithTimeout(ctx, stopTimeout/2)
	err := engine.Stop(grace, c.id)
	enough()
	if gone := engine.Remove(ctx, c.id); gone != nil {
		return errors.Join(gone, err)
	}
	c.id = ""
	return nil
}

// reportStuck reports that the last container still exists and occupies its GPUs.
func (r *runner) reportStuck(why error) {
	code := fault.DockerFailed
	if _, named := errors.AsType[*fault.Fault](why); named {
		code = fault.CodeOf(why)
	}
	r.fail(&fault.Fault{
		Code: code, Op: "remove a container",
		Detail: "its last container cannot be removed yet: " + reason(why), Err: why,
	}, nil)
}
