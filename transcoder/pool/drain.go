package pool

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
)

// DrainDevice keeps new sessions away from a device at the operator's wish, has those
// that it has move at their next segment, and waits until none of its segments is in
// work or ctx ends. It holds until ResumeDevice, also if the device is attached anew
// meanwhile. The fault is DeviceUnknown.
func (p *Pool) DrainDevice(ctx context.Context, name string) error {
	d, err := p.bar("drain a device", name, true)
	if err != nil {
		return err
	}
	return d.rest(ctx)
}

// ResumeDevice ends what DrainDevice began. The fault is DeviceUnknown.
func (p *Pool) ResumeDevice(name string) error {
	_, err := p.bar("resume a device", name, false)
	return err
}

// bar notes the operator's wish.
func (p *Pool) bar(op, name string, barred bool) (*device, error) {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.devices[name]
	if !barred {
		delete(t.barred, name)
	}
	if d == nil {
		return nil, fault.New(fault.DeviceUnknown, op, name)
	}
	if barred {
		t.barred[name] = true
	}
	d.mu.Lock()
	d.barred = barred
	d.mu.Unlock()
	p.refresh(d)
	return d, nil
}

// rest waits until none of the device's segments is in work or ctx ends.
func (d *device) rest(ctx context.Context) error {
	for quiet := d.idle(); quiet != nil; quiet = d.idle() {
		select {
		case <-quiet:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
