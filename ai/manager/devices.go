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

	"github.com/tuttinode/tutti/core/fault"
)

// devices allocates the GPUs, which all models share. Its lock is held for the choice
// only, never while a container starts or stops.
type devices struct {
	// gpus does not change once the devices are known; nothing is allocated before.
	ground Ground
	// real means that the devices exist, false for the placeholder.
	real bool
	// reserve is Options.Reserve.
	reserve func(device string, bytes int64)
	// waiting is how many claims are open.
	waiting atomic.Int32

	mu      sync.Mutex
	rooms   []*room       // of the warm runners; guarded by mu
	missing error         // why no devices are known yet; guarded by mu
	tenants []*tenant     // guarded by mu
	changed chan struct{} // closed at the next change; guarded by mu
}

// allocation is a container's right to its device slots.
type tenant struct {
	places []Place
	takes  Memory
	// reservation is a warm runner's, nil for a cold one.
	room *room
	// removed means that its entry was removed, so that it ends with its jobs.
	leaving bool
	// idle returns since when the container could be evicted, false while it cannot.
	// It is called under the lock and must not block.
	idle func() (since time.Time, ok bool)
	// evict asks the container's owner to release the slots; it does not block.
	evict func()
}

// newDevices has no devices before setDevices.
func newDevices(perDevice int) *devices {
	return &devices{ground: Ground{PerDevice: perDevice}, changed: make(chan struct{})}
}

// errUnwanted means that no job waits for the model whose GPUs are not free.
var errUnwanted = errors.New("no job waits for the model")

// claim allocates device slots for need. If they are taken, it evicts idle cold models
// and waits for busy ones as long as wanted returns true; else the error is errNotNeeded.
// waits is called before each wait. The fault is ModelNoRoom.
func (d *devices) claim(ctx context.Context, t *tenant, need Need, wanted func() bool, waits func()) error {
	const op = "place a container"
	need = d.here(need)
	if t.room != nil {
		d.mu.Lock()
		t.room.kept = true
		d.mu.Unlock()
	}
	d.waiting.Add(1)
	defer d.waiting.Add(-1)
	for {
		changed, hopeless := d.try(t, need)
		switch {
		case t.places != nil:
			return nil
		case hopeless:
			return fault.New(fault.ModelNoRoom, op, d.hopeless(need))
		case !wanted():
			return errUnwanted
		}
		waits()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// whyImpossible explains why the need can never be met.
func (d *devices) hopeless(need Need) string {
	if need.Devices > len(d.ground.Devices) {
		return fmt.Sprintf("the model is spread over %d GPUs, the node has %d", need.Devices, len(d.ground.Devices))
	}
	missing := slices.DeleteFunc(slices.Clone(need.IDs), func(id string) bool {
		return slices.ContainsFunc(d.ground.Devices, func(have Device) bool { return have.ID == id })
	})
	if len(missing) > 0 && len(need.IDs)-len(missing) < need.Devices {
		return "the node has no GPU " + strings.Join(missing, ", ")
	}
	return "no GPU has enough free memory beside the warm models"
}

// tryClaim allocates slots or evicts others. impossible means that the need could not be
// met even if all cold models were idle.
func (d *devices) try(t *tenant, need Need) (changed <-chan struct{}, hopeless bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	occupants := make([]Occupant, len(d.tenants))
	cold := make([]Occupant, len(d.tenants))
	for i, o := range d.tenants {
		occupants[i] = Occupant{Places: o.places, Takes: o.takes}
		cold[i] = occupants[i]
		cold[i].Evictable = o.leaving
		if o.evict == nil {
			continue
		}
		occupants[i].Used, occupants[i].Evictable = o.idle()
		cold[i].Evictable = true
	}
	c, ok := d.choose(t, occupants, need)
	switch {
	case !ok:
		_, possible := d.choose(t, cold, need)
		return d.changed, !possible
	case len(c.Evict) == 0:
		t.places, t.takes = c.Places, need.Takes
		d.tenants = append(d.tenants, t)
		if t.room != nil {
			t.room.taken = true
		}
	}
	for _, i := range c.Evict {
		d.tenants[i].evict()
	}
	return d.changed, false
}

// release frees an allocation.
func (d *devices) release(t *tenant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, have := range d.tenants {
		if have == t {
			d.tenants = append(d.tenants[:i:i], d.tenants[i+1:]...)
			t.places = nil
			if t.room != nil {
				t.room.taken = false
			}
			d.touch()
			return
		}
	}
}

// wakeClaimsLocked wakes the waiting claims.
func (d *devices) touch() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// wakeClaims is called when a model may have become idle or a job stopped waiting.
func (d *devices) poke() {
	if d.waiting.Load() == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.touch()
}

// ids are the devices' names to show, and those for the engine: none when the node has no
// GPU.
func (d *devices) ids(places []Place) (shown, real []string) {
	for _, p := range places {
		shown = append(shown, d.ground.Devices[p.Device].ID)
	}
	if d.real {
		real = shown
	}
	return shown, real
}
