package worker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// supervise owns the children until ctx ends: it waits for one to die and starts
// the next.
func (c *Client) supervise(ctx context.Context, p *process) {
	for {
		born := time.Now()
		p = c.watchProcess(ctx, p)
		c.setProcess(nil)
		// Beside the rest: a driver may hold a killed child for long.
		c.wg.Go(p.close)
		if ctx.Err() != nil {
			return
		}
		c.recordExit(p.fault, time.Since(born))
		if p = c.restart(ctx); p == nil {
			return
		}
		c.setProcess(p)
	}
}

// watchProcess returns the child that has died, or the current one when ctx ends. On
// the way it exchanges children that have nothing to do but hold memory.
func (c *Client) watchProcess(ctx context.Context, p *process) *process {
	ticker := time.NewTicker(c.o.times.idle / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return p
		case <-p.gone:
			return p
		case <-ticker.C:
			p = c.replaceIdle(ctx, p)
		}
	}
}

// replaceIdle puts a fresh child in the place of one that has long been idle and
// holds more memory than an idle one should: what codecs and the C library keep
// is given back for sure, and leaks end here.
func (c *Client) replaceIdle(ctx context.Context, p *process) *process {
	if p.idle() < c.o.times.idle || usedBytes(p.cmd.Process.Pid) <= c.o.IdleMemory {
		return p
	}
	fresh, _, err := launch(ctx, c.o, c.level)
	if err != nil {
		c.o.Log.Debug("idle media worker not exchanged", "device", c.o.Device, "err", err)
		return p
	}
	c.setProcess(fresh)
	// Calls that had the old one in hand finish in it.
	p.retire()
	c.wg.Go(func() {
		p.drain(ctx)
		p.close()
	})
	return fresh
}

// recordExit books a death: in the log, in the counters, and for the pause to come.
func (c *Client) recordExit(reason *fault.Fault, lived time.Duration) {
	c.mu.Lock()
	c.restarts++
	c.lastFault = reason
	c.exits = c.exits.after(lived)
	pause := c.exits.pause()
	c.mu.Unlock()
	c.o.Recorder.WorkerRestarted(c.o.Device, string(reason.Code))
	c.o.Log.Warn("a media worker died and is replaced", "device", c.o.Device, "pause", pause, fault.Attr(reason))
}

// restart starts a child, however often it takes. It returns nil when ctx ends.
func (c *Client) restart(ctx context.Context) *process {
	for {
		c.mu.Lock()
		pause := c.exits.pause()
		c.mu.Unlock()
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		p, _, err := launch(ctx, c.o, c.level)
		if err == nil {
			return p
		}
		if ctx.Err() != nil {
			return nil
		}
		c.recordStartFailure(err)
	}
}

func (c *Client) recordStartFailure(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastFault = fault.Wrap(fault.CodeOf(err), "start media worker", err)
	c.exits = c.exits.after(0)
	c.notifyLocked()
	c.o.Log.Warn("a media worker does not start", "device", c.o.Device, "pause", c.exits.pause(), fault.Attr(err))
}
