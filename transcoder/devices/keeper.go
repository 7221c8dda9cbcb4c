package devices

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
)

// Keeper runs the GPUs' workers. It is a lifecycle component.
type Keeper struct {
	o Options
	// testing has the turn of the one GPU that may be tested now.
	testing chan struct{}
	limits  *machineLimits
	// uncounted are the GPUs of the start whose encoders were not counted yet, coming
	// those that the previous process had and that are not offered yet.
	uncounted, coming *pending

	mu sync.Mutex // covers the fields below
	// inheritedFindings is what the previous process found of GPUs, found what is known of those that
	// are offered.
	inheritedFindings, found map[device.UUID]Finding
}

// NewKeeper makes a keeper; it starts nothing.
func NewKeeper(o Options) *Keeper {
	return &Keeper{
		o: o.withDefaults(), testing: make(chan struct{}, 1), limits: newMachineLimits(), uncounted: newPending(),
		coming: newPending(), inheritedFindings: maps.Clone(o.Inherited), found: make(map[device.UUID]Finding),
	}
}

// Name returns the component's name.
func (k *Keeper) Name() string { return "GPUs" }

// Run keeps a worker on every GPU until ctx ends, then closes them. It is ready at
// once: a GPU begins when it is tested. Only the GPUs of the previous process, which
// need no test, are waited for: their streams go on here.
func (k *Keeper) Run(ctx context.Context, ready func()) error {
	ticker := time.NewTicker(k.o.Look)
	defer ticker.Stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	kept := make(map[device.UUID]context.CancelFunc)
	begun := false
	k.coming.expect(k.awaited(k.o.Inventory.Devices()))
	wg.Go(func() {
		k.coming.await(ctx, k.o.Ready)
		ready()
	})
	for {
		here := k.o.Inventory.Devices()
		k.o.Budget.Furnish(here)
		if !begun && len(here) > 0 {
			begun = true
			k.uncounted.expect(k.untested(here))
		}
		for id, stop := range kept {
			if !among(here, id) {
				stop()
				delete(kept, id)
			}
		}
		for _, d := range here {
			if kept[d.UUID] == nil {
				sub, stop := context.WithCancel(ctx)
				kept[d.UUID] = stop
				wg.Go(func() { k.runCard(sub, d) })
			}
		}
		select {
		case <-ctx.Done():
			for _, stop := range kept {
				stop()
			}
			return nil
		case <-ticker.C:
		}
	}
}

// awaited returns the GPUs that can be offered as the previous process offered them.
func (k *Keeper) awaited(here []device.GPU) []device.GPU {
	return slices.DeleteFunc(slices.Clone(here), func(d device.GPU) bool {
		_, ok := k.inherited(d.UUID)
		return !ok
	})
}

// untested returns the GPUs that are to be tested.
func (k *Keeper) untested(here []device.GPU) []device.GPU {
	return slices.DeleteFunc(slices.Clone(here), func(d device.GPU) bool {
		_, ok := k.inherited(d.UUID)
		return ok || !k.o.Test
	})
}

func among(devices []device.GPU, id device.UUID) bool {
	for _, d := range devices {
		if d.UUID == id {
			return true
		}
	}
	return false
}
