package pool

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// refusal says which bound kept a session out, with its numbers. The caller holds
// table.mu.
func (p *Pool) refusal(n *needs, q *search) *fault.Fault {
	t := &p.table
	if t.ready == 0 {
		return p.nobody()
	}
	if len(t.compatible(n)) == 0 {
		return fault.New(fault.NoCapableTranscoder, opAdmit, n.objection)
	}
	return p.capped(n.classes, func(d *device, now time.Time) (orchestrate.Bound, string) { return d.bound(q, now) })
}

// Capped is the refusal of a session beyond the limit of Usage, with the bound that
// makes the limit and its numbers. It answers at once.
func (p *Pool) Capped() *fault.Fault {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := p.rules.maxSessions.Load(); n > 0 && n <= p.limit.Load() {
		return byOption(p.number.Load(), n)
	}
	return p.full()
}

// full is the refusal of a session like those that the devices have. The caller holds
// table.mu.
func (p *Pool) full() *fault.Fault {
	all := make([]*class, 0, len(p.table.classes))
	for _, c := range p.table.classes {
		all = append(all, c)
	}
	return p.capped(all, func(d *device, now time.Time) (orchestrate.Bound, string) {
		_, by := d.limitBy(&p.rules, now)
		q := search{renditions: d.usualRenditions(), load: float64(d.usualLoad())}
		return by, d.words(by, &q, now)
	})
}

// byOption is the refusal where as many sessions are there as the operator permits.
func byOption(have, most int64) *fault.Fault {
	return &fault.Fault{
		Code: fault.OrchestratorCapped, Op: opAdmit, Err: orchestrate.ByOption,
		Detail: fmt.Sprintf("%s: %d of %d in use", string(orchestrate.ByOption), have, most),
	}
}

// capped is the refusal where none of some classes' devices has room; why is asked of
// one of them, with its mu held. The caller holds table.mu.
func (p *Pool) capped(classes []*class, why func(*device, time.Time) (orchestrate.Bound, string)) *fault.Fault {
	number := 0
	for _, c := range classes {
		number += c.tree.number
	}
	d := least(classes)
	if d == nil {
		return fault.New(fault.OrchestratorCapped, opAdmit, "no device that could do it is ready")
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

// nobody is the refusal while no device is ready. The caller holds table.mu.
func (p *Pool) nobody() *fault.Fault {
	if len(p.table.devices) == 0 {
		return fault.New(fault.NoTranscoders, opAdmit, "no transcoder is attached")
	}
	return fault.New(fault.NoTranscoders, opAdmit, fmt.Sprintf("none of %d devices is ready", len(p.table.devices)))
}

// least is a device of some classes to explain a refusal with: the one with the most
// room, or any where all are full.
func least(classes []*class) *device {
	var q search
	var some *device
	for _, c := range classes {
		c.tree.find(&q)
		for _, d := range c.tree.devices[:min(len(c.tree.devices), looks)] {
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

// bound says which of the device's bounds a session would pass, with the numbers. The
// caller holds mu.
func (d *device) bound(q *search, now time.Time) (orchestrate.Bound, string) {
	by := orchestrate.ByPace
	switch {
	case d.roomForSessions(now) <= 0:
		by = orchestrate.BySessions
	case d.roomForEncoders(now) < q.renditions:
		by = orchestrate.ByEncoders
	case d.roomInMemory(now) < q.renditions:
		by = orchestrate.ByMemory
	}
	return by, d.words(by, q, now)
}

// words are the numbers of a bound, and what a session would add to them. The caller
// holds mu.
func (d *device) words(by orchestrate.Bound, q *search, now time.Time) string {
	switch by {
	case orchestrate.BySessions:
		return fmt.Sprintf("%d of %d sessions in use", d.sessions, d.sessionLimit(now))
	case orchestrate.ByEncoders:
		return fmt.Sprintf("%d of %d encoder sessions in use, %d more wanted", d.renditions, d.encoderLimit(now),
			q.renditions)
	case orchestrate.ByMemory:
		return fmt.Sprintf("%d of %d MiB of card memory in use, %d more wanted", d.memory()>>20, d.memoryLimit(now)>>20,
			d.memoryFor(q.renditions)>>20)
	}
	ratio := d.expected() * (float64(d.weighted) + q.load)
	if ratio > maxRatio && max(d.cost, d.offer.Cost) > 0 {
		return fmt.Sprintf("%d in use, one more would bring the real-time ratio to %.2f, over %.1f", d.sessions, ratio,
			maxRatio)
	}
	return fmt.Sprintf("%d in use, of which %d have shown what they cost", d.sessions, d.known)
}
