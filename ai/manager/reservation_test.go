package manager_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// TestWarmModelsFindTheirPlaces: whoever comes first, all that fit together are
// placed; also where the first free device is the only one that another can use.
func TestWarmModelsFindTheirPlaces(t *testing.T) {
	t.Parallel()
	gpus := func(sizes ...int64) (out []manager.Device) {
		for i, s := range sizes {
			out = append(out, manager.Device{ID: fmt.Sprint(i), MemoryBytes: s})
		}
		return out
	}
	for _, tt := range []struct {
		name    string
		devices []manager.Device
		first   manager.Entry
		later   manager.Entry
		want    string
	}{
		{"by memory", gpus(48e9, 24e9), manager.Entry{MemoryBytes: 20e9}, manager.Entry{MemoryBytes: 40e9}, "[1] [0]"},
		{"by pin", gpus(0, 0), manager.Entry{}, manager.Entry{GPUIDs: []string{"0"}}, "[1] [0]"},
		{"by number", gpus(24e9, 80e9, 24e9), manager.Entry{MemoryBytes: 60e9}, manager.Entry{GPUs: 2, MemoryBytes: 20e9},
			"[1] [0 2]"},
		{"by share", gpus(24e9, 48e9), manager.Entry{MemoryBytes: 20e9}, manager.Entry{MemoryBytes: 30e9, MemoryShare: 0.97},
			"[0] [1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				h.slow["image-of-later"] = 10 * time.Second
				tt.first.Model, tt.first.Warm = llm("first"), true
				tt.later.Model, tt.later.Warm = llm("later"), true
				r := begin(t, h, manager.Options{Devices: tt.devices, Entries: []manager.Entry{tt.first, tt.later}})
				look := func() {
					t.Helper()
					a, b := r.state("first", inference.Ready, ""), r.state("later", inference.Ready, "")
					if got := fmt.Sprint(a.Devices, b.Devices); got != tt.want {
						t.Errorf("on %s, want %s", got, tt.want)
					}
				}
				after(time.Minute)
				look()
				h.kill("later")
				h.kill("first")
				after(time.Minute)
				look()
				r.end()
			})
		})
	}
}

// TestAWarmModelComesBackToItsPlace: a cold one that waits for a GPU does not get
// the place of one that starts anew.
func TestAWarmModelComesBackToItsPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0"}, {ID: "1"}},
			Entries: append(cold("a", "b"), manager.Entry{Model: llm("w"), Warm: true}),
		})
		slot, reply := r.hold("a")
		got := make(chan error, 1)
		go func() { got <- r.try("b", time.Hour) }()
		after(time.Second)
		h.kill("w")
		r.state("w", inference.Failed, fault.ContainerExited)
		after(2 * time.Second)
		r.state("w", inference.Ready, "")
		r.state("b", inference.Starting, "")
		_ = reply.Body.Close()
		slot.Release()
		if err := <-got; err != nil {
			t.Error(err)
		}
		r.state("w", inference.Ready, "")
		r.end()
	})
}

// TestAPlaceIsLent: while a warm model cannot come up, cold ones may use its place,
// and leave it when they have no work.
func TestAPlaceIsLent(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["w"] = &program{slots: 1, startErr: fault.New(fault.GPUToolkitMissing, "start container", "")}
		r := begin(t, h, manager.Options{Entries: append(cold("a", "b"), manager.Entry{Model: llm("w"), Warm: true})})
		r.state("w", inference.Failed, fault.GPUToolkitMissing)
		slot, reply := r.hold("a")
		h.change("w", func(p *program) { p.startErr = nil })
		after(10 * time.Minute)
		r.state("a", inference.Ready, "")
		if s := r.state("w", inference.Starting, fault.GPUToolkitMissing); s.Progress != "waiting for a GPU" {
			t.Errorf("%+v", s)
		}
		_ = reply.Body.Close()
		slot.Release()
		after(time.Second)
		r.state("w", inference.Ready, "")
		r.state("a", inference.Evicted, "")
		if err := r.try("b", time.Minute); !errors.Is(err, fault.ModelNoRoom) {
			t.Errorf("got %v", err)
		}
		r.end()
	})
}

// TestColdModelsPreferOtherPlaces: a cold model that comes before a warm one is not
// in its way when there is room elsewhere.
func TestColdModelsPreferOtherPlaces(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.slow["image-of-w"] = time.Minute
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0"}, {ID: "1"}, {ID: "2"}},
			Entries: append(cold("a", "b", "c"), manager.Entry{Model: llm("w"), Warm: true, GPUs: 2}),
		})
		r.job("a")
		if s := r.state("a", inference.Ready, ""); fmt.Sprint(s.Devices) != "[2]" {
			t.Errorf("%+v", s)
		}
		r.job("b") // into a place that is not needed yet
		r.state("a", inference.Ready, "")
		after(2 * time.Minute)
		if s := r.state("w", inference.Ready, ""); fmt.Sprint(s.Devices) != "[0 1]" {
			t.Errorf("%+v", s)
		}
		r.state("a", inference.Ready, "")
		r.state("b", inference.Evicted, "")
		r.job("c")
		r.state("a", inference.Evicted, "")
		r.state("w", inference.Ready, "")
		r.end()
	})
}

// TestMoreWarmModelsThanPlaces: who has no place fails, and takes nobody else's.
func TestMoreWarmModelsThanPlaces(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.slow["image-of-big"] = 10 * time.Second
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0", MemoryBytes: 24e9}}, ContainersPerGPU: 2,
			Entries: []manager.Entry{
				{Model: llm("small"), Warm: true, MemoryBytes: 10e9},
				{Model: llm("big"), Warm: true, MemoryBytes: 20e9},
				{Model: llm("lost"), Warm: true, GPUIDs: []string{"7"}},
			},
		})
		r.state("small", inference.Failed, fault.ModelNoRoom)
		if s := r.state("lost", inference.Failed, fault.ModelNoRoom); s.Reason != "the node has no GPU 7" {
			t.Errorf("%+v", s)
		}
		after(time.Minute)
		r.state("small", inference.Failed, fault.ModelNoRoom)
		r.state("big", inference.Ready, "")
		r.end()
	})
}
