package devices

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/device"
)

// freshness is the interval between checks whether an inventory has looked again.
const freshness = 100 * time.Millisecond

// UsedMemory is Options.Memory for a GPU of an inventory. It waits for a sample
// that is younger than the question: what the inventory has may be a second old.
func UsedMemory(inventory device.Inventory, id device.UUID, now func() time.Time) func(ctx context.Context) (int64,
	bool) {
	return func(ctx context.Context) (int64, bool) {
		asked := now()
		ticker := time.NewTicker(freshness)
		defer ticker.Stop()
		for {
			if s, ok := inventory.Sample(id); ok && s.At.After(asked) {
				return int64(s.Used), true
			}
			select {
			case <-ctx.Done():
				return 0, false
			case <-ticker.C:
			}
		}
	}
}
