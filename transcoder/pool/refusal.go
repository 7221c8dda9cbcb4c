package pool

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
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
	number := 0
	for _, c := range n.classes {
		number += c.tree.number
	}
	d := least(n.classes)
	if d == nil {
		return fault.New(fault.OrchestratorCapped, opAdmit, "no device that could do it is ready")
	}
	why := p.bound(d, q)
	if number > 1 {
		why = fmt.Sprintf("no room on any of %d devices; %s", number, why)
	}
	return fault.New(fault.OrchestratorCapped, opAdmit, why)
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

// bound says which of a device's bounds a session would pass.
func (p *Pool) bound(d *device, q *search) string {
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	say := func(format string, args ...any) string { return d.name() + ": " + fmt.Sprintf(format, args...) }
	if name, code, _ := d.describe(); !d.ready() {
		return say("%s, %s", name, code)
	}
	if limit := d.sessionLimit(now); d.sessions >= limit {
		return say("%d of %d sessions in use", d.sessions, limit)
	}
	if limit := d.encoderLimit(now); d.renditions+q.renditions > limit {
		return say("%d of %d encoder sessions in use, %d more wanted", d.renditions, limit, q.renditions)
	}
	if d.roomForRenditions(now) < q.renditions {
		one := d.offer.SessionMemory + int64(q.renditions-1)*d.offer.RenditionMemory
		return say("%d of %d MiB in use, %d more wanted", d.memory()>>20, d.memoryLimit(now)>>20, one>>20)
	}
	cost := d.expected()
	if ratio := cost * (float64(d.weighted) + q.load); ratio > maxRatio && max(d.cost, d.offer.Cost) > 0 {
		return say("%d in use, one more would bring the real-time ratio to %.2f, over %.1f", d.sessions, ratio, maxRatio)
	}
	return say("%d in use, of which %d have shown what they cost", d.sessions, d.known)
}
