package pool

import (
	"cmp"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// Usage returns the number of sessions and their limit. Without MaxSessions the limit is an
// estimate for sessions like the present ones. When no session fits at all, because no
// device is ready, the devices have no capacity or the node stops, Refusal says why. It
// does not block.
func (p *Pool) Usage() orchestrate.Usage {
	t := &p.table
	// Segments since the last placement may have changed the estimate.
	if t.mu.TryLock() {
		p.refreshStaleLocked(maxRefreshes)
		t.mu.Unlock()
	}
	u := orchestrate.Usage{Sessions: int(p.sessionCount.Load())}
	limit := p.sessionLimit.Load()
	if n := p.rules.maxSessions.Load(); n > 0 {
		limit = min(limit, n)
	}
	switch {
	case p.draining.Load():
		limit = int64(u.Sessions)
		u.Refusal = fault.New(fault.OrchestratorCapped, opAdmit, "the node stops")
	case p.readyDevices.Load() == 0:
		t.mu.Lock()
		if t.ready == 0 {
			u.Refusal = p.noDeviceReadyLocked()
		}
		t.mu.Unlock()
	case limit <= 0:
		t.mu.Lock()
		u.Refusal = p.fullLocked()
		t.mu.Unlock()
	}
	// Without a bound on any device there is no limit to report.
	if limit < unlimited {
		u.Limit = int(max(0, limit))
	}
	return u
}

// PlacementStats returns the cost of placement since the pool was made.
func (p *Pool) PlacementStats() PlacementStats {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.table.stats
}

// Devices returns the state of each device, in order of attachment.
func (p *Pool) Devices() []device.Use {
	p.table.mu.Lock()
	all := make([]*poolDevice, 0, len(p.table.devices))
	for _, d := range p.table.devices {
		all = append(all, d)
	}
	p.table.mu.Unlock()
	slices.SortFunc(all, func(a, b *poolDevice) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]device.Use, 0, len(all))
	for _, d := range all {
		out = append(out, d.use(time.Now()))
	}
	return out
}

func (d *poolDevice) use(now time.Time) device.Use {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := device.Use{
		Device: d.label, Sessions: d.sessions, Segments: d.segments, Load: d.load, Ratio: d.ratio,
		Memory: d.memoryInUseLocked(), EncoderLimit: d.offer.EncoderSessions, SessionMemory: d.offer.SessionMemory,
		Cost:   d.offer.Cost,
		Remote: d.offer.Remote, Since: d.since,
	}
	u.Done, u.Failed = d.tally.Counts()
	if n := d.sessionLimitLocked(now); n < unlimited {
		u.Limit = n
	}
	if d.offer.EncoderSessions > 0 {
		u.Encoders = d.renditions
	}
	u.State, u.Code, u.Reason = d.describe()
	return u
}
