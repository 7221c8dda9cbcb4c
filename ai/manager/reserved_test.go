package manager_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
)

// TestWarmModelsReserve: others are told what warm models need, whenever the GPUs
// are known; cold ones take what is left.
func TestWarmModelsReserve(t *testing.T) {
	two := []manager.Device{{ID: "0", MemoryBytes: 48e9}, {ID: "1", MemoryBytes: 24e9}}
	for name, find := range map[string]bool{"at once": false, "later": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				claimed := make(map[string]int64)
				o := manager.Options{
					Reserve: func(id string, bytes int64) { claimed[id] = bytes },
					Entries: append(cold("c"), manager.Entry{Model: llm("w"), Warm: true, MemoryBytes: 20e9, GPUs: 2},
						manager.Entry{Model: llm("x"), Warm: true, MemoryBytes: 25e9}),
				}
				o.ContainersPerGPU = 2
				if find {
					o.Find = func(context.Context) ([]manager.Device, error) { return two, nil }
				} else {
					o.Devices = two
				}
				r := begin(t, newHost(), o)
				after(time.Minute)
				r.end()
				if got := fmt.Sprint(claimed); got != "map[0:45000000000 1:20000000000]" {
					t.Error(got)
				}
			})
		})
	}
	t.Run("without a GPU", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := begin(t, newHost(), manager.Options{
				Reserve: func(id string, bytes int64) { t.Errorf("%d of %s", bytes, id) },
				Entries: []manager.Entry{{Model: llm("w"), Warm: true, MemoryBytes: 20e9}},
			})
			r.end()
		})
	})
}
