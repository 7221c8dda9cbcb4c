package devices

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/gpu"
)

// Keeper keeps the cards' workers. It is a lifecycle component.
type Keeper struct {
	o Options
	// testing has the turn of the one card that may be tested now.
	testing chan struct{}
	common  *common
}

// New makes a keeper; it starts nothing.
func New(o Options) *Keeper {
	return &Keeper{o: o.withDefaults(), testing: make(chan struct{}, 1), common: newCommon()}
}

// Name is the component's name.
func (k *Keeper) Name() string { return "GPUs" }

// Run keeps a worker on every card until ctx ends, then closes them. It is ready at
// once: a card begins when it is tested.
func (k *Keeper) Run(ctx context.Context, ready func()) error {
	ready()
	ticker := time.NewTicker(k.o.Look)
	defer ticker.Stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	kept := make(map[gpu.UUID]context.CancelFunc)
	begun := !k.o.Test
	for {
		here := k.o.Inventory.Devices()
		k.o.Budget.Furnish(here)
		if !begun && len(here) > 0 {
			begun = true
			k.common.expect(here)
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
				wg.Go(func() { k.tend(sub, d) })
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

func among(devices []gpu.Device, id gpu.UUID) bool {
	for _, d := range devices {
		if d.UUID == id {
			return true
		}
	}
	return false
}
