package manager

import (
	"cmp"
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// findGPUs retries Options.Find until it returns GPUs. Runners wait for it: an image
// without a GPU may run on the CPU and report ready.
func (m *Manager) findGPUs(ctx context.Context) {
	retries := newBackoff(maxRetry, m.o.Random)
	for {
		list, err := m.o.Find(ctx)
		if ctx.Err() != nil {
			return
		}
		if len(list) > 0 {
			m.shared.devices.setDevices(list)
			return
		}
		m.shared.devices.setMissing(cmp.Or(err, error(fault.New(fault.NoDevices, "find GPUs", ""))))
		if !sleep(ctx, retries.wait()) {
			return
		}
	}
}

// setMissing records why there are no devices yet.
func (d *devices) setMissing(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.missing = why
	d.wakeClaimsLocked()
}

// state reports whether the devices are known, a channel that is closed at the next
// change, and why they are not known, nil before the first attempt has ended.
func (d *devices) state() (ok bool, changed <-chan struct{}, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.gpus.Devices) > 0, d.changed, d.missing
}

// awaitDevices waits until the devices are known, and reports Failed while they are
// missing; false means that ctx ended.
func (r *runner) awaitDevices(ctx context.Context) bool {
	for {
		ok, changed, why := r.shared.devices.state()
		switch {
		case ok && r.now.state == inference.Failed:
			r.report(func(s *status) { *s = status{state: r.entry.initialState()} })
			return true
		case ok:
			return true
		case why != nil:
			r.fail(why, nil)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
