package worker

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// supervise owns the child processes until ctx ends: it waits for the end of one and starts
// the next.
func (c *Client) supervise(ctx context.Context, p *process) {
	for {
		born := time.Now()
		p = c.watchProcess(ctx, p)
		c.setProcess(nil)
		// In the background: a driver may hold a killed child for long.
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

// watchProcess returns the child that has ended, or the current one when ctx ends. Meanwhile
// it replaces idle children that hold too much memory.
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

// replaceIdle replaces a child that has been idle for long and holds more memory than an
// idle one should. That frees the memory that codecs and the C library keep, and leaks.
func (c *Client) replaceIdle(ctx context.Context, p *process) *process {
	if p.idle() < c.o.times.idle || usedBytes(p.cmd.Process.Pid) <= c.o.IdleMemory {
		return p
	}
	fresh, _, err := launch(ctx, c.o, c.level)
	if err != nil {
		c.o.Log.Debug("idle media worker not replaced", "device", c.o.Device, "err", err)
		return p
	}
	c.setProcess(fresh)
	// Calls in progress finish in the old one.
	p.retire()
	c.wg.Go(func() {
		p.drain(ctx)
		p.close()
	})
	return fresh
}

// recordExit logs and counts the end of a child, and sets the pause before the next one.
func (c *Client) recordExit(reason *fault.Fault, lived time.Duration) {
	c.mu.Lock()
	c.restarts++
	c.lastFault = reason
	c.exits = c.exits.after(lived)
	pause := c.exits.pause()
	c.mu.Unlock()
	c.o.Recorder.WorkerRestarted(c.o.Device, string(reason.Code))
	c.o.Log.Warn("a media worker ended and is replaced", "device", c.o.Device, "pause", pause, fault.Attr(reason))
}

// restart starts a child and retries until it succeeds. It returns nil when ctx ends.
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
