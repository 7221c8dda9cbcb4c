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

// devices is who sits on which device, the one thing that models share. Its lock
// is held for the choice only, never while a container starts or stops.
type devices struct {
	// Nobody has a place before its devices are known; they do not change then.
	ground Ground
	// real says that the ground's devices exist.
	real bool
	// reserve is Options.Reserve.
	reserve func(device string, bytes int64)
	// waiting is how many claims are open.
	waiting atomic.Int32

	mu      sync.Mutex
	rooms   []*room       // those of the warm runners; guarded by mu
	missing error         // why there are none yet; guarded by mu
	tenants []*tenant     // guarded by mu
	changed chan struct{} // closed at the next change; guarded by mu
}

// tenant is a container's right to its places.
type tenant struct {
	places []Place
	takes  Memory
	// room is a warm runner's, nil for a cold one.
	room *room
	// leaving says that its entry was removed, so that it goes when its jobs have ended.
	leaving bool
	// idle tells since when the container could be evicted, false while it cannot.
	// It is called under the lock and must not wait.
	idle func() (since time.Time, ok bool)
	// kept tells for how long it stays all the same against jobs of the parties that ask for
	// another model, 0 for no longer; asks says which do so for this one. Both are called
	// under the lock and must not wait.
	kept func(asks func(party string) bool) time.Duration
	asks func(party string) bool
	// evict asks the container's owner to give the places back; it does not wait.
	evict func()
}

// newDevices is to be furnished.
func newDevices(perDevice int) *devices {
	return &devices{ground: Ground{PerDevice: perDevice}, changed: make(chan struct{})}
}

// errUnwanted says that nobody waits any more for a place that is not free.
var errUnwanted = errors.New("nobody waits for the model any more")

// claim gives the tenant places for need. When they are taken it has idle cold
// models evicted and, where busy ones stand in the way, waits for these as long
// as wanted says that someone waits for it too; then it is errUnwanted. waits is
// called before each wait. The fault is ModelNoRoom.
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
		changed, kept, hopeless := d.try(t, need)
		switch {
		case t.places != nil:
			return nil
		case hopeless:
			return fault.New(fault.ModelNoRoom, op, d.hopeless(need))
		case !wanted():
			return errUnwanted
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

// hopeless says why there can be no room.
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
	return "no GPU has room beside the models that stay"
}

// try places the tenant or asks others to make room. hopeless says that it could
// not be placed even if all cold models were idle. kept is after how long a model may
// make room that keeps its place until then, 0 where there is none.
func (d *devices) try(t *tenant, need Need) (changed <-chan struct{}, kept time.Duration, hopeless bool) {
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
		if left := o.keeps(t); left > 0 && occupants[i].Evictable {
			occupants[i].Evictable = false
			if kept == 0 || left < kept {
				kept = left
			}
		}
	}
	c, ok := d.choose(t, occupants, need)
	switch {
	case !ok:
		_, possible := d.choose(t, cold, need)
		return d.changed, kept, !possible
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
	return d.changed, kept, false
}

// keeps is for how long a tenant keeps its place against another one: not against warm
// models, nor when its entry was removed.
func (t *tenant) keeps(other *tenant) time.Duration {
	if t.kept == nil || t.leaving || other.room != nil || other.asks == nil {
		return 0
	}
	return t.kept(other.asks)
}

// release gives the tenant's places back.
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

// touch wakes those who wait for a change. The caller holds mu.
func (d *devices) touch() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// poke says that a model may have become idle, or that nobody waits for another
// any more.
func (d *devices) poke() {
	if d.waiting.Load() == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.touch()
}

// ids are the devices' names, and those of them that the engine knows: none when
// the node has no devices.
func (d *devices) ids(places []Place) (shown, real []string) {
	for _, p := range places {
		shown = append(shown, d.ground.Devices[p.Device].ID)
	}
	if d.real {
		real = shown
	}
	return shown, real
}
