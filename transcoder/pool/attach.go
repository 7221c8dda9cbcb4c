package pool

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// Devices attach to the pool at run time.
var _ device.Placer = (*Pool)(nil)

// Attach adds a device; it gets sessions from now on. The pool does not close it. The
// fault is DeviceNameTaken, or TranscoderStopped after Close.
func (p *Pool) Attach(d device.Device, o device.Resources) (device.Attachment, error) {
	x := newDevice(d, o)
	if err := p.attach(x); err != nil {
		return nil, err
	}
	return &attachment{p, x}, nil
}

func newDevice(d device.Device, o device.Resources) *poolDevice {
	x := &poolDevice{deviceIdentity: deviceIdentity{engine: d, label: d.Device(), since: time.Now()},
		offer: clone(o), treeRank: unavailable, namedRecords: namedRecords{tally: new(device.Tally)}}
	if e, ok := d.(parallel); ok && !o.Remote {
		x.queue.slots = e.Parallel()
	}
	if _, ok := d.(isolator); ok {
		// Isolated retries run in parallel up to the number of CPU cores.
		x.isolatedSlots = make(chan struct{}, max(2, runtime.NumCPU()))
		x.unverifiedSlots = make(chan struct{}, max(2, runtime.NumCPU()/2))
		x.flaggedSlots = make(chan struct{}, max(1, runtime.NumCPU()/2))
		x.perSenderSlots = make(chan struct{}, max(1, runtime.NumCPU()/4))
	}
	return x
}

// clone copies an offer's bits, which the caller may change.
func clone(o device.Resources) device.Resources {
	o.Capabilities.Bits = slices.Clone(o.Capabilities.Bits)
	o.Capabilities.Mandatory = slices.Clone(o.Capabilities.Mandatory)
	return o
}

func (p *Pool) attach(d *poolDevice) error {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.closed.Load() {
		return fault.New(fault.TranscoderStopped, "attach a device", "the node stops")
	}
	if t.devices[d.label] != nil {
		return fault.New(fault.DeviceNameTaken, "attach a device", d.label)
	}
	d.operatorDrained, d.tally = t.operatorDrained[d.label], t.tallies.Of(d.label)
	d.verdicts = t.verdictsOfLocked(d.label)
	d.seq = t.seq
	t.seq++
	t.devices[d.label] = d
	t.joinClassLocked(d, &d.offer.Capabilities, d.offer.Remote)
	p.refreshLocked(d)
	if d.offer.Remote {
		p.countRemote(1, d.offer.Sessions, 0)
	}
	return nil
}

// attachment is the device.Attachment of a device.
type attachment struct {
	p *Pool
	d *poolDevice
}

// Update replaces the offer.
func (a *attachment) Update(o device.Resources) { a.p.update(a.d, clone(o)) }

func (p *Pool) update(d *poolDevice, o device.Resources) {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if d.class == nil {
		return // detached
	}
	d.mu.Lock()
	before := d.offer
	d.offer = o
	d.learned = learnedLimits{watched: d.learned.watched} // the new offer replaces learned limits
	sessions := d.sessions
	d.mu.Unlock()
	p.uncountLocked(d)
	t.leaveClassLocked(d)
	t.joinClassLocked(d, &o.Capabilities, o.Remote)
	p.refreshLocked(d)
	switch {
	case before.Remote && o.Remote:
		p.countRemote(0, o.Sessions-before.Sessions, 0)
	case o.Remote:
		p.countRemote(1, o.Sessions, sessions)
	case before.Remote:
		p.countRemote(-1, -before.Sessions, -sessions)
	}
	p.publishLocked()
	p.notifyChanged()
}

// Suspend refuses new sessions and moves the present ones at their next segment.
func (a *attachment) Suspend(why *fault.Fault) { a.p.suspend(a.d, why, false) }

// Resume ends what Suspend or Drain began.
func (a *attachment) Resume() { a.p.resume(a.d) }

// Drain suspends the device and waits until none of its segments is in progress or ctx
// ends.
func (a *attachment) Drain(ctx context.Context) error {
	a.p.suspend(a.d, fault.New(fault.DeviceDrained, "drain a device", "its own node drains it"), true)
	return a.d.waitIdle(ctx)
}

// Detach removes the device at once.
func (a *attachment) Detach() {
	if a.p.detach(a.d) && a.d.verdicts.isNamed() {
		a.p.o.Unreliable(a.d.name(), "")
	}
}

// detach removes a device, and reports whether it was attached.
func (p *Pool) detach(d *poolDevice) bool {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.devices[d.label] != d {
		return false
	}
	delete(t.devices, d.label)
	t.forgetVerdictsLocked(d.label)
	d.mu.Lock()
	d.gone = true
	d.release()
	sessions, offer := d.sessions, d.offer
	d.mu.Unlock()
	p.refreshLocked(d)
	t.leaveClassLocked(d)
	if offer.Remote {
		p.losses.add(d, "", time.Now())
		p.countRemote(-1, -offer.Sessions, -sessions)
	}
	return true
}

func (p *Pool) suspend(d *poolDevice, why *fault.Fault, drained bool) {
	if why == nil {
		why = fault.New(fault.DeviceDrained, "suspend a device", "no reason was given")
	}
	d.mu.Lock()
	d.suspended, d.draining = why, drained
	d.mu.Unlock()
	p.refresh(d)
}

func (p *Pool) resume(d *poolDevice) {
	d.mu.Lock()
	d.suspended, d.draining = nil, false
	d.mu.Unlock()
	p.refresh(d)
}
