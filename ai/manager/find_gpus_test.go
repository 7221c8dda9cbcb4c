package manager_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// TestGPUsThatComeLate: no container is started without the GPUs that were asked
// for, and all are once these are there. Servers need none.
func TestGPUsThatComeLate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.servers["http://one:8000"] = &program{slots: 1}
		var asked atomic.Int32
		var there atomic.Bool
		r := begin(t, h, manager.Options{
			Find: func(context.Context) ([]manager.Device, error) {
				asked.Add(1)
				if there.Load() {
					return []manager.Device{{ID: "0", MemoryBytes: 48e9}, {ID: "1", MemoryBytes: 24e9}},
						fault.New(fault.NoDevices, "find GPUs", "there is no GPU 2")
				}
				return nil, fault.New(fault.NoDevices, "find GPUs", "the driver shows no GPU")
			},
			Entries: append(cold("a"),
				manager.Entry{Model: llm("small"), Warm: true, MemoryBytes: 20e9},
				manager.Entry{Model: llm("big"), Warm: true, MemoryBytes: 40e9},
				manager.Entry{Model: llm("served"), URL: "http://one:8000"}),
			ContainersPerGPU: 2,
		})
		for _, m := range []string{"a", "small", "big"} {
			if s := r.state(m, inference.Failed, fault.NoDevices); s.Reason != "the driver shows no GPU" || s.Offered() {
				t.Errorf("%+v", s)
			}
			if err := r.try(m, time.Minute); !errors.Is(err, fault.NoDevices) || fault.Wire(err) != "insufficient capacity" {
				t.Errorf("%s: %v", m, err)
			}
		}
		r.job("served")
		after(10 * time.Minute)
		// 1 + 2 + 4 + 8 + 16 + 32 s and then once per minute.
		if n := asked.Load(); n < 15 || n > 17 {
			t.Errorf("asked %d times in 10 minutes", n)
		}
		if len(h.pulls) > 0 || len(h.created) > 0 {
			t.Errorf("pulled %v, created %v", h.pulls, h.created)
		}
		there.Store(true)
		after(time.Minute)
		for m, want := range map[string]string{"small": "[1]", "big": "[0]"} {
			if s := r.state(m, inference.Ready, ""); fmt.Sprint(s.Devices) != want {
				t.Errorf("%s is on %v, want %s", m, s.Devices, want)
			}
		}
		r.state("a", inference.Absent, "")
		r.job("a")
		for _, b := range h.boxes {
			if len(b.spec.Devices) != 1 {
				t.Errorf("%s is given %v", b.spec.Model, b.spec.Devices)
			}
		}
		n := asked.Load()
		after(10 * time.Minute)
		if asked.Load() != n || !r.board.Healthy() {
			t.Errorf("asked %d times more, %+v", asked.Load()-n, r.board.Snapshot())
		}
		r.end()
	})
}

// TestALookForGPUsThatHangs: the node can be stopped.
func TestALookForGPUsThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{
			Find:    func(ctx context.Context) ([]manager.Device, error) { <-ctx.Done(); return nil, ctx.Err() },
			Entries: []manager.Entry{{Model: llm("w"), Warm: true}},
		})
		after(time.Hour)
		r.state("w", inference.Starting, "")
		r.end()
	})
}
