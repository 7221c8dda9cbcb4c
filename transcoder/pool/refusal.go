package pool

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// refusalLocked returns the fault of a session that got no device, with the bound and its
// numbers. The caller holds table.mu.
func (p *Pool) refusalLocked(n *needs, q *search) *fault.Fault {
	t := &p.table
	if t.ready == 0 {
		return p.noDeviceReadyLocked()
	}
	if len(t.compatibleLocked(n)) == 0 {
		return fault.New(fault.NoCapableTranscoder, opAdmit, n.objection)
	}
	return p.cappedLocked(n.classes, func(d *poolDevice, now time.Time) (orchestrate.Bound,
		string) {
		return d.exceededBoundLocked(q, now)
	})
}

// Capped returns the refusal of a session beyond the limit of Usage, with the bound that sets
// the limit and its numbers. It does not block.
func (p *Pool) Capped() *fault.Fault {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := p.rules.maxSessions.Load(); n > 0 && n <= p.sessionLimit.Load() {
		return cappedByOption(p.sessionCount.Load(), n)
	}
	return p.fullLocked()
}

// fullLocked returns the refusal of a session like the present ones. The caller holds table.mu.
func (p *Pool) fullLocked() *fault.Fault {
	all := make([]*class, 0, len(p.table.classes))
	for _, c := range p.table.classes {
		all = append(all, c)
	}
	return p.cappedLocked(all, func(d *poolDevice, now time.Time) (orchestrate.Bound, string) {
		_, by := d.limitAndBoundLocked(&p.rules, now)
		q := search{renditions: d.usualRenditionsLocked(), load: float64(d.usualLoadLocked())}
		return by, d.boundDetailLocked(by, &q, now)
	})
}

// cappedByOption returns the refusal beyond the operator's number of sessions.
func cappedByOption(have, most int64) *fault.Fault {
	return &fault.Fault{
		Code: fault.OrchestratorCapped, Op: opAdmit, Err: orchestrate.ByOption,
		Detail: fmt.Sprintf("%s: %d of %d in use", string(orchestrate.ByOption), have, most),
	}
}

// cappedLocked returns the refusal when none of the classes' devices has capacity. It calls why
// for one of them with its mu held. The caller holds table.mu.
func (p *Pool) cappedLocked(classes []*class, why func(*poolDevice, time.Time) (orchestrate.Bound,
	string)) *fault.Fault {
	number := 0
	for _, c := range classes {
		number += c.tree.count
	}
	d := leastUsed(classes)
	if d == nil {
		return fault.New(fault.OrchestratorCapped, opAdmit, "no capable device is ready")
	}
	f := fault.New(fault.OrchestratorCapped, opAdmit, "")
	d.mu.Lock()
	defer d.mu.Unlock()
	if name, code, _ := d.describe(); !d.ready() {
		f.Detail = fmt.Sprintf("%s, %s", name, code)
	} else {
		f.Err, f.Detail = why(d, time.Now())
	}
	f.Detail = d.name() + ": " + f.Detail
	if number > 1 {
		f.Detail = fmt.Sprintf("no room on any of %d devices; %s", number, f.Detail)
	}
	return f
}

// noDeviceReadyLocked returns the refusal while no device is ready. The caller holds table.mu.
func (p *Pool) noDeviceReadyLocked() *fault.Fault {
	if len(p.table.devices) == 0 {
		return fault.New(fault.NoTranscoders, opAdmit, "no transcoder is attached")
	}
	return fault.New(fault.NoTranscoders, opAdmit, fmt.Sprintf("none of %d devices is ready", len(p.table.devices)))
}

// leastUsed returns the device that explains a refusal: the least used one of the classes, or
// any when all are full.
func leastUsed(classes []*class) *poolDevice {
	var q search
	var some *poolDevice
	for _, c := range classes {
		c.tree.find(&q)
		for _, d := range c.tree.devices[:min(len(c.tree.devices), maxRefreshes)] {
			if some == nil && d != nil {
				some = d
			}
		}
	}
	if q.found != nil {
		return q.found
	}
	return some
}

// exceededBoundLocked returns the bound of the device that a session would exceed, with its
// numbers.
func (d *poolDevice) exceededBoundLocked(q *search, now time.Time) (orchestrate.Bound, string) {
	if by, over := d.partyLimitLocked(q.party, q.renditions, now); over {
		return by, "it refused a session of this gateway with as much in use"
	}
	by := orchestrate.ByPace
	switch {
	case d.freeSessionsLocked(now) <= 0:
		by = orchestrate.BySessions
	case d.freeEncodersLocked(now) < q.renditions:
		by = orchestrate.ByEncoders
	case d.renditionsInFreeMemoryLocked(now) < q.renditions:
		by = orchestrate.ByMemory
	}
	return by, d.boundDetailLocked(by, q, now)
}

// boundDetailLocked returns the numbers of a bound, and what a session would add to them.
func (d *poolDevice) boundDetailLocked(by orchestrate.Bound, q *search, now time.Time) string {
	switch by {
	case orchestrate.BySessions:
		return fmt.Sprintf("%d of %d sessions in use", d.sessions, d.sessionLimitLocked(now))
	case orchestrate.ByEncoders:
		return fmt.Sprintf("%d of %d encoder sessions in use, %d more wanted", d.renditions, d.encoderLimitLocked(now),
			q.renditions)
	case orchestrate.ByMemory:
		return fmt.Sprintf("%d of %d MiB of GPU memory in use, %d more wanted", d.memoryInUseLocked()>>20,
			d.memoryLimitLocked(now)>>20,
			d.memoryForLocked(q.renditions)>>20)
	}
	ratio := d.expectedCostLocked() * (float64(d.weightedLoad) + q.load)
	if ratio > maxRatio && max(d.cost, d.offer.Cost) > 0 {
		return fmt.Sprintf("%d in use, one more would bring the real-time ratio to %.2f, over %.1f", d.sessions, ratio,
			maxRatio)
	}
	if ago := now.Sub(d.behindAt); ago < recentPeriod {
		return fmt.Sprintf("%d in use, and a segment missed its deadline %.0f s ago", d.sessions, ago.Seconds())
	}
	if share := d.slotShareLocked(q.load); share > maxBusy {
		return fmt.Sprintf("%d in use, one more would take %.0f %% of the CPU cores' time, over %.0f %%", d.sessions,
			100*share, 100*maxBusy)
	}
	return fmt.Sprintf("%d in use, of which %d have shown what they cost", d.sessions, d.measuredSessions)
}
