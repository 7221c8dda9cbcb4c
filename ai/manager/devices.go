package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/ai/gpuplacement"
	"github.com/tuttinode/tutti/core/fault"
)

// emulated is the device that containers get on a node without GPUs.
const emulated = "emulated-0"

// devices allocates the GPUs, which all models share. Its lock is held for the choice
// only, never while a container starts or stops.
type devices struct {
	// gpus does not change once the devices are known; nothing is allocated before.
	gpus gpuplacement.Set
	// real means that the devices exist, false for the emulated one.
	real bool
	// reserve is Options.Reserve.
	reserve func(device string, bytes int64)
	// waiting is how many claims are open.
	waiting atomic.Int32

	mu           sync.Mutex
	reservations []*reservation // of the warm runners; guarded by mu
	missing      error          // why no devices are known yet; guarded by mu
	allocations  []*allocation  // guarded by mu
	changed      chan struct{}  // closed at the next change; guarded by mu
}

// allocation is a container's right to its device slots.
type allocation struct {
	slots []gpuplacement.Slot
	takes gpuplacement.Memory
	// reservation is a warm runner's, nil for a cold one.
	reservation *reservation
	// removed means that its entry was removed, so that it ends with its jobs.
	removed bool
	// idle returns since when the container could be evicted, false while it cannot.
	// It is called under the lock and must not block.
	idle func() (since time.Time, ok bool)
	// kept returns for how long it keeps its slots against jobs of the parties that wait for
	// another model, 0 for no longer; waits reports whether a party waits for this one. Both are
	// called under the lock and must not block.
	kept  func(waits func(party string) bool) time.Duration
	waits func(party string) bool
	// evict asks the container's owner to release the slots; it does not block.
	evict func()
}

// newDevices has no devices before setDevices.
func newDevices(perDevice int) *devices {
	return &devices{gpus: gpuplacement.Set{PerDevice: perDevice}, changed: make(chan struct{})}
}

// errNotNeeded means that no job waits for the model whose GPUs are not free.
var errNotNeeded = errors.New("no job waits for the model")

// claim allocates device slots for need. If they are taken, it evicts idle cold models
// and waits for busy ones as long as wanted returns true; else the error is errNotNeeded.
// waits is called before each wait. The fault is ModelNoRoom.
func (d *devices) claim(ctx context.Context, t *allocation, need gpuplacement.Need, wanted func() bool,
	waits func()) error {
	const op = "place a container"
	need = d.normalize(need)
	if t.reservation != nil {
		d.mu.Lock()
		t.reservation.held = true
		d.mu.Unlock()
	}
	d.waiting.Add(1)
	defer d.waiting.Add(-1)
	for {
		changed, kept, impossible := d.tryClaim(t, need)
		switch {
		case t.slots != nil:
			return nil
		case impossible:
			return fault.New(fault.ModelNoRoom, op, d.whyImpossible(need))
		case !wanted():
			return errNotNeeded
		}
		waits()
		if err := awaitChange(ctx, changed, kept); err != nil {
			return err
		}
	}
}

// awaitChange returns at a change, or after a time; 0 is none.
func awaitChange(ctx context.Context, changed <-chan struct{}, after time.Duration) error {
	var late <-chan time.Time
	if after > 0 {
		timer := time.NewTimer(after)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-changed:
	case <-late:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// whyImpossible explains why the need can never be met.
func (d *devices) whyImpossible(need gpuplacement.Need) string {
	if need.Devices > len(d.gpus.Devices) {
		return fmt.Sprintf("the model is spread over %d GPUs, the node has %d", need.Devices, len(d.gpus.Devices))
	}
	missing := slices.DeleteFunc(slices.Clone(need.IDs), func(id string) bool {
		return slices.ContainsFunc(d.gpus.Devices, func(have Device) bool { return have.ID == id })
	})
	if len(missing) > 0 && len(need.IDs)-len(missing) < need.Devices {
		return "the node has no GPU " + strings.Join(missing, ", ")
	}
	return "no GPU has enough free memory besides the warm models"
}

// release frees an allocation.
func (d *devices) release(t *allocation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, have := range d.allocations {
		if have == t {
			d.allocations = append(d.allocations[:i:i], d.allocations[i+1:]...)
			t.slots = nil
			if t.reservation != nil {
				t.reservation.occupied = false
			}
			d.wakeClaimsLocked()
			return
		}
	}
}

// wakeClaimsLocked wakes the waiting claims.
func (d *devices) wakeClaimsLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// wakeClaims is called when a model may have become idle or a job stopped waiting.
func (d *devices) wakeClaims() {
	if d.waiting.Load() == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wakeClaimsLocked()
}

// ids returns the devices' names to show, and those for the engine: none when the node has no
// GPU.
func (d *devices) ids(slots []gpuplacement.Slot) (shown, real []string) {
	for _, p := range slots {
		shown = append(shown, d.gpus.Devices[p.Device].ID)
	}
	if d.real {
		real = shown
	}
	return shown, real
}
