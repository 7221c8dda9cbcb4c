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
		p = c.attend(ctx, p)
		c.put(nil)
		// Beside the rest: a driver may hold a killed child for long.
		c.wg.Go(p.close)
		if ctx.Err() != nil {
			return
		}
		c.mourn(p.fault, time.Since(born))
		if p = c.resurrect(ctx); p == nil {
			return
		}
		c.put(p)
	}
}

// attend returns the child that has died, or the current one when ctx ends. On
// the way it exchanges children that have nothing to do but hold memory.
func (c *Client) attend(ctx context.Context, p *process) *process {
	ticker := time.NewTicker(c.o.times.idle / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return p
		case <-p.gone:
			return p
		case <-ticker.C:
			p = c.exchange(ctx, p)
		}
	}
}

// exchange puts a fresh child in the place of one that has long been idle and
// holds more memory than an idle one should: what codecs and the C library keep
// is given back for sure, and leaks end here.
func (c *Client) exchange(ctx context.Context, p *process) *process {
	if p.idle() < c.o.times.idle || usedBytes(p.cmd.Process.Pid) <= c.o.IdleMemory {
		return p
	}
	fresh, _, err := launch(ctx, c.o, c.level)
	if err != nil {
		c.o.Log.Debug("idle media worker not exchanged", "device", c.o.Device, "err", err)
		return p
	}
	c.put(fresh)
	// Calls that had the old one in hand finish in it.
	p.retire()
	c.wg.Go(func() {
		p.drain(ctx)
		p.close()
	})
	return fresh
}

// mourn books a death: in the log, in the counters, and for the pause to come.
func (c *Client) mourn(reason *fault.Fault, lived time.Duration) {
	c.mu.Lock()
	c.restarts++
	c.last = reason
	c.deaths = c.deaths.after(lived)
	pause := c.deaths.pause()
	c.mu.Unlock()
	c.o.Recorder.WorkerRestarted(c.o.Device, string(reason.Code))
	c.o.Log.Warn("a media worker died and is replaced", "device", c.o.Device, "pause", pause, fault.Attr(reason))
}

// resurrect starts a child, however often it takes. It returns nil when ctx ends.
func (c *Client) resurrect(ctx context.Context) *process {
	for {
		c.mu.Lock()
		pause := c.deaths.pause()
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
		c.failed(err)
	}
}

func (c *Client) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = fault.Wrap(fault.CodeOf(err), "start media worker", err)
	c.deaths = c.deaths.after(0)
	c.notify()
	c.o.Log.Warn("a media worker does not start", "device", c.o.Device, "pause", c.deaths.pause(), fault.Attr(err))
}
