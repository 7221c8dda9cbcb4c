package manager

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// lastRemoval is the longest wait between attempts to remove a container: it
	// keeps a GPU from all others.
	lastRemoval = 15 * time.Second
	// hurriedRemoval is that when the node stops, which leaves stopTimeout for all.
	hurriedRemoval = 5 * time.Second
)

// end gives everything back, once the container is gone: its places and its port
// are nobody else's before. It tries for as long as that takes, and calls stuck
// with each reason why it takes long; when the node stops it has stopTimeout left,
// and leaves the rest to the next start.
func (c *container) end(ctx context.Context, stuck func(why error)) {
	if err := c.removeAtLast(ctx, stuck); err != nil {
		c.r.log.Warn("a container could not be removed and is left to the node's next start", "container", string(c.id), fault.Attr(err))
		return
	}
	if c.port != 0 {
		c.r.shared.o.Ports.Give(c.port)
	}
	if c.tenant != nil {
		c.r.shared.devices.release(c.tenant)
	}
}

func (c *container) removeAtLast(ctx context.Context, stuck func(why error)) error {
	last, cancel := outlive(ctx, stopTimeout)
	defer cancel()
	retries, stop := newBackoff(lastRemoval, c.r.shared.o.Random), ctx.Done()
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
			retries = newBackoff(hurriedRemoval, c.r.shared.o.Random)
		case <-last.Done():
		}
		timer.Stop()
	}
}

// outlive is a ctx that ends some time after the given one.
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
	c.r.shared.news.unsubscribe(c.id)
	grace, enough := context.WithTimeout(ctx, stopTimeout/2)
	err := engine.Stop(grace, c.id)
	enough()
	if gone := engine.Remove(ctx, c.id); gone != nil {
		return errors.Join(gone, err)
	}
	c.id = ""
	return nil
}

// stuck reports that the last container is still there, so that neither this
// model nor another can use its places.
func (r *runner) stuck(why error) {
	code := fault.DockerFailed
	if _, named := errors.AsType[*fault.Fault](why); named {
		code = fault.CodeOf(why)
	}
	r.fail(&fault.Fault{
		Code: code, Op: "remove a container",
		Detail: "its last container cannot be removed yet: " + reason(why), Err: why,
	}, nil)
}
