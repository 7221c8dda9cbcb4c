package gpus

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// Watcher is the latest report of the selected GPUs. Its methods are safe for concurrent use
// and do not block.
type Watcher struct {
	o    Options
	host host
	// history belongs to Run's goroutine.
	history sampleHistory

	mu      sync.Mutex // covers the fields below
	looked  bool
	now     verdict
	failed  *fault.Fault // why there is no report, nil when there is
	samples map[device.UUID]device.Sample
	at      time.Time
	changed chan struct{}
}

var _ device.Inventory = (*Watcher)(nil)

// New makes a watcher, which has no report before Run.
func New(o Options) *Watcher {
	o = o.withDefaults()
	return &Watcher{o: o, host: host{o.Root}, history: newSampleHistory(), changed: make(chan struct{})}
}

// Name names the component.
func (w *Watcher) Name() string { return "GPU watch" }

// Devices returns the selected GPUs that can transcode, in order of Index.
func (w *Watcher) Devices() []device.GPU {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.now.usable)
}

// Present returns the selected GPUs that are present, whether or not they can transcode:
// containers may use all of them.
func (w *Watcher) Present() []device.GPU {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.now.present)
}

// Blind reports whether the driver cannot be queried because its library is missing here.
// The container engine may see GPUs all the same.
func (w *Watcher) Blind() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.blind
}

// Err is why some or all of the selection cannot be used, nil when all can.
// Before the first report it is nil too; see Await.
func (w *Watcher) Err() *fault.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.now.problems) > 0 {
		return w.now.problems[0].fault
	}
	if len(w.now.present) == 0 {
		return w.failed
	}
	return nil
}

// Faults returns all problems, and the fault of a missing report.
func (w *Watcher) Faults() (out []*fault.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.now.problems {
		out = append(out, t.fault)
	}
	if w.failed != nil {
		out = append(out, w.failed)
	}
	return out
}

// Driver describes the driver, zero when there is none.
func (w *Watcher) Driver() device.Driver {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.driver
}

// Sample returns the latest of a device; false when there is none, or it is old.
func (w *Watcher) Sample(id device.UUID) (device.Sample, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.samples[id]
	if !ok || w.o.Now().Sub(w.at) > 2*w.o.Silence {
		return device.Sample{}, false
	}
	s.Processes = slices.Clone(s.Processes)
	return s, true
}

// Changed is closed when Devices, Present or Err may have changed.
func (w *Watcher) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// Await waits for the first report or failure; it reports whether that came before ctx
// ended.
func (w *Watcher) Await(ctx context.Context) bool {
	for {
		w.mu.Lock()
		looked, changed := w.looked, w.changed
		w.mu.Unlock()
		if looked {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// setReport stores a report.
func (w *Watcher) setReport(v verdict, samples map[device.UUID]device.Sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := !w.looked || w.failed != nil || !alike(w.now, v)
	w.looked, w.failed, w.now, w.at = true, nil, v, w.o.Now()
	// Samples stay over a change of process until they are old.
	w.samples = maps.Clone(samples)
	if changed {
		w.notifyLocked()
	}
}

// fail records that there is no report. The devices stay: work on them continues.
func (w *Watcher) fail(f *fault.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked, w.failed = true, f
	w.notifyLocked()
}

// notifyLocked wakes the waiters of Changed.
func (w *Watcher) notifyLocked() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// alike compares the results of Devices, Present, Driver, Blind and Err.
func alike(a, b verdict) bool {
	same := func(x, y problem) bool {
		return x.about == y.about && x.fault.Code == y.fault.Code && x.fault.Detail == y.fault.Detail
	}
	return a.driver == b.driver && a.blind == b.blind && slices.Equal(a.present, b.present) &&
		slices.Equal(a.usable, b.usable) &&
		slices.EqualFunc(a.problems, b.problems, same)
}
