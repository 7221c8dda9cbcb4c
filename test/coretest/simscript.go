package coretest

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Crash fails what is in work and forgets all sessions, as a worker process does that
// dies and is replaced.
func (d *SimDevice) Crash() { d.fail(fault.New(fault.WorkerCrashed, "transcode", "as asked")) }

// Lose takes the device away: what is in work, and everything from now on, fails with
// a fault until Recover.
func (d *SimDevice) Lose(f *fault.Fault) {
	d.fail(f)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost = f
}

// Hang makes jobs end with their callers' patience only, until Recover.
func (d *SimDevice) Hang() { d.change(func() { d.hanging = true }) }

// Slow multiplies the time of everything, as thermal throttling does.
func (d *SimDevice) Slow(factor float64) { d.change(func() { d.factor = factor }) }

// Foreign lets others have encoders and memory of the device.
func (d *SimDevice) Foreign(encoders int, memory int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.foreign = simUse{encoders, memory}
}

// Recover ends what Lose, Hang and Slow began.
func (d *SimDevice) Recover() {
	d.change(func() { d.lost, d.hanging, d.factor = nil, false, 1 })
}

// Reprobe is the device's own test: it fails while the device is lost or hangs.
func (d *SimDevice) Reprobe(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.lost != nil:
		return d.lost
	case d.hanging:
		return fault.New(fault.TranscodeTimeout, "test device", "it hangs")
	}
	return nil
}

// Jobs returns how many jobs were begun, also those that were refused.
func (d *SimDevice) Jobs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.jobs
}

// Used returns how many sessions, encoders and bytes are taken, others' not counted.
func (d *SimDevice) Used() (sessions, encoders int, memory int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.kept), d.used.encoders, d.used.memory
}

// fail ends what is in work and forgets the sessions.
func (d *SimDevice) fail(f *fault.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = f
	if d.broken != nil {
		close(d.broken)
		d.broken = nil
	}
	d.kept, d.used = make(map[core.SessionID]simUse), simUse{}
}
