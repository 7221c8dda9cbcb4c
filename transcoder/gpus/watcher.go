package gpus

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/gpu"
)

// Watcher is the GPUs that were asked for, as they were reported last. Its methods
// are safe for concurrent use and answer at once.
type Watcher struct {
	o    Options
	host host
	// history belongs to Run's goroutine.
	history sampleHistory

	mu      sync.Mutex // covers the fields below
	looked  bool
	now     verdict
	failed  *fault.Fault // why there is no report, nil when there is
	samples map[gpu.UUID]gpu.Sample
	at      time.Time
	changed chan struct{}
}

var _ gpu.Inventory = (*Watcher)(nil)

// New makes a watcher that knows nothing before it runs.
func New(o Options) *Watcher {
	o = o.withDefaults()
	return &Watcher{o: o, host: host{o.Root}, history: newSampleHistory(), changed: make(chan struct{})}
}

// Name names the component.
func (w *Watcher) Name() string { return "GPU watch" }

// Devices are the GPUs that were asked for and can transcode, in order of Index.
func (w *Watcher) Devices() []gpu.Device {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.now.usable)
}

// Present are the GPUs that were asked for and are there, whether or not they can
// transcode: containers may be given all of them.
func (w *Watcher) Present() []gpu.Device {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.now.present)
}

// Blind reports whether the driver cannot be asked from here, because its library is
// not here. The engine of containers may see GPUs all the same.
func (w *Watcher) Blind() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.blind
}

// Err says why some or all that was asked for cannot be used, nil when all can.
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

// Faults are all that Err picks the first from, and who cannot be asked now.
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

// Driver is what the driver says of itself, zero when there is none.
func (w *Watcher) Driver() gpu.Driver {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.driver
}

// Sample is the latest of a device; false when there is none, or it is old.
func (w *Watcher) Sample(id gpu.UUID) (gpu.Sample, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.samples[id]
	if !ok || w.o.Now().Sub(w.at) > 2*w.o.Silence {
		return gpu.Sample{}, false
	}
	s.Processes = slices.Clone(s.Processes)
	return s, true
}

// Changed is closed when Devices, Present or Err may say something else.
func (w *Watcher) Changed() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// Await waits for the first report, or the news that there can be none; it reports
// whether it came before ctx ended.
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

// setReport notes a report.
func (w *Watcher) setReport(v verdict, samples map[gpu.UUID]gpu.Sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := !w.looked || w.failed != nil || !alike(w.now, v)
	w.looked, w.failed, w.now, w.at = true, nil, v, w.o.Now()
	// Samples of before a change of process stay until they are old.
	w.samples = maps.Clone(samples)
	if changed {
		w.notifyLocked()
	}
}

// fail notes that there is no report. What was known of devices stays: work on them
// goes on.
func (w *Watcher) fail(f *fault.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked, w.failed = true, f
	w.notifyLocked()
}

// notifyLocked: the caller holds mu.
func (w *Watcher) notifyLocked() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// alike compares what Devices, Present, Driver, Blind and Err say.
func alike(a, b verdict) bool {
	same := func(x, y problem) bool {
		return x.about == y.about && x.fault.Code == y.fault.Code && x.fault.Detail == y.fault.Detail
	}
	return a.driver == b.driver && a.blind == b.blind && slices.Equal(a.present, b.present) &&
		slices.Equal(a.usable, b.usable) &&
		slices.EqualFunc(a.problems, b.problems, same)
}
