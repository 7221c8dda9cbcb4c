package pool

import (
	"cmp"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/placement"
)

// Usage is how many sessions there are and how many there may be. Where no number was
// set it is an estimate for sessions like those there are. Where there is no room for
// any, because no device is ready, those that are have shown that they bear none, or
// the node stops, it says why. It answers at once.
func (p *Pool) Usage() orchestrate.Usage {
	t := &p.table
	// What segments have measured since the last placement may have changed the estimate.
	if t.mu.TryLock() {
		p.catchUp(looks)
		t.mu.Unlock()
	}
	u := orchestrate.Usage{Sessions: int(p.number.Load())}
	limit := p.limit.Load()
	if n := p.rules.maxSessions.Load(); n > 0 {
		limit = min(limit, n)
	}
	switch {
	case p.draining.Load():
		limit = int64(u.Sessions)
		u.Refusal = fault.New(fault.OrchestratorCapped, opAdmit, "the node stops")
	case p.ready.Load() == 0:
		t.mu.Lock()
		if t.ready == 0 {
			u.Refusal = p.nobody()
		}
		t.mu.Unlock()
	case limit <= 0:
		t.mu.Lock()
		u.Refusal = p.full()
		t.mu.Unlock()
	}
	// There is no such number where no device bounds it.
	if limit < unlimited {
		u.Limit = int(max(0, limit))
	}
	return u
}

// Work is what placing has cost since the pool began.
func (p *Pool) Work() Work {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.table.work
}

// Devices is the state of each device, in the order in which they were attached.
func (p *Pool) Devices() []placement.Use {
	p.table.mu.Lock()
	all := make([]*device, 0, len(p.table.devices))
	for _, d := range p.table.devices {
		all = append(all, d)
	}
	p.table.mu.Unlock()
	slices.SortFunc(all, func(a, b *device) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]placement.Use, 0, len(all))
	for _, d := range all {
		out = append(out, d.use(time.Now()))
	}
	return out
}

func (d *device) use(now time.Time) placement.Use {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := placement.Use{
		Device: d.label, Sessions: d.sessions, Segments: d.segments, Load: d.load, Ratio: d.ratio,
		Memory: d.memory(), EncoderLimit: d.offer.EncoderSessions, SessionMemory: d.offer.SessionMemory,
		Cost:   d.offer.Cost,
		Remote: d.offer.Remote, Since: d.since,
	}
	u.Done, u.Failed = d.tally.Counts()
	if n := d.sessionLimit(now); n < unlimited {
		u.Limit = n
	}
	if d.offer.EncoderSessions > 0 {
		u.Encoders = d.renditions
	}
	u.State, u.Code, u.Reason = d.describe()
	return u
}
