package pool

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
)

// DrainDevice refuses new sessions for a device on the operator's request, moves its
// sessions at their next segment, and waits until none of its segments is in progress or
// ctx ends. It holds until ResumeDevice, also when the device reattaches meanwhile. The
// fault is DeviceUnknown.
func (p *Pool) DrainDevice(ctx context.Context, name string) error {
	d, err := p.setOperatorDrain("drain a device", name, true)
	if err != nil {
		return err
	}
	return d.waitIdle(ctx)
}

// ResumeDevice ends what DrainDevice began. The fault is DeviceUnknown.
func (p *Pool) ResumeDevice(name string) error {
	_, err := p.setOperatorDrain("resume a device", name, false)
	return err
}

// setOperatorDrain records the operator's request.
func (p *Pool) setOperatorDrain(op, name string, drained bool) (*poolDevice, error) {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.devices[name]
	if !drained {
		delete(t.operatorDrained, name)
	}
	if d == nil {
		return nil, fault.New(fault.DeviceUnknown, op, name)
	}
	if drained {
		t.operatorDrained[name] = true
	}
	d.mu.Lock()
	d.operatorDrained = drained
	d.mu.Unlock()
	p.refreshLocked(d)
	return d, nil
}

// waitIdle waits until none of the device's segments is in progress or ctx ends.
func (d *poolDevice) waitIdle(ctx context.Context) error {
	for quiet := d.idle(); quiet != nil; quiet = d.idle() {
		select {
		case <-quiet:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
