package redeemer

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// watched is a gateway whose max float is kept. Client.mu covers all but first.
type watched struct {
	sender core.Address
	// first is closed after the redeemer's first answer, or its failure.
	first chan struct{}
	// value was the max float at the time at; seen counts the values.
	value core.Wei
	known bool
	at    time.Time
	seen  int
	// err is why the last attempt failed.
	err  error
	used time.Time
	// stop ends the stream; nil before it began.
	stop context.CancelFunc
}

// MaxFloat returns a gateway's max float as the redeemer reports it. The first call waits for the
// answer, for a bounded time. While the redeemer is unreachable, its last value counts for a
// while; after that, and for an unknown gateway, the error is the fault RedeemerUnreachable or
// MaxFloatUnknown.
func (c *Client) MaxFloat(ctx context.Context, sender core.Address) (core.Wei, error) {
	const op = "ask the redeemer for a max float"
	e := c.sender(sender)
	timer := time.NewTimer(c.opt.FirstAnswer)
	defer timer.Stop()
	select {
	case <-e.first:
	case <-ctx.Done():
		return core.Wei{}, fault.Wrap(fault.CodeOf(ctx.Err()), op, ctx.Err())
	case <-timer.C:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case e.known && c.opt.Now().Sub(e.at) <= c.opt.Hold:
		return e.value, nil
	case e.err != nil:
		return core.Wei{}, e.err
	}
	return core.Wei{}, fault.New(fault.RedeemerUnreachable, op, "no answer yet")
}

// sender finds or makes a gateway's record. It may drop the least recently used one.
func (c *Client) sender(addr core.Address) *watched {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.senders[addr]
	if e == nil {
		if len(c.senders) >= c.opt.Senders {
			c.dropOldestLocked()
		}
		e = &watched{sender: addr, first: make(chan struct{})}
		c.senders[addr] = e
		c.wakeLoop()
	}
	e.used = c.opt.Now()
	return e
}

// dropOldestLocked drops one.
func (c *Client) dropOldestLocked() {
	var oldest *watched
	for _, e := range c.senders {
		if oldest == nil || e.used.Before(oldest.used) {
			oldest = e
		}
	}
	c.dropSenderLocked(oldest)
}

// dropSenderLocked ends a gateway's stream and forgets it.
func (c *Client) dropSenderLocked(e *watched) {
	if e.stop != nil {
		e.stop()
	}
	delete(c.senders, e.sender)
}

// watchAllLocked starts missing streams and ends unused ones.
func (c *Client) watchAllLocked(ctx context.Context, api rpc.TicketRedeemerClient, now time.Time) {
	for _, e := range c.senders {
		if now.Sub(e.used) > c.opt.Idle {
			c.dropSenderLocked(e)
			continue
		}
		if e.stop != nil {
			continue
		}
		watching, stop := context.WithCancel(ctx)
		e.stop = stop
		c.parts.Go(func() {
			defer stop()
			c.watch(watching, api, e)
		})
	}
}

// learned stores a value of the redeemer, unless it is older than the present one.
func (c *Client) learned(e *watched, value core.Wei, asked int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.at, e.err = c.opt.Now(), nil
	if asked == e.seen {
		e.value, e.known = value, true
		e.seen++
	}
	settleLocked(e)
}

// lost stores why the redeemer did not answer.
func (c *Client) lost(e *watched, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.err = err
	settleLocked(e)
}

// settleLocked says that the first attempt is over.
func settleLocked(e *watched) {
	select {
	case <-e.first:
	default:
		close(e.first)
	}
}

func (c *Client) seen(e *watched) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return e.seen
}
