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

func cold(names ...string) (out []manager.Entry) {
	for _, n := range names {
		out = append(out, manager.Entry{Model: llm(n)})
	}
	return out
}

func TestTheLeastRecentlyUsedMakesRoom(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0"}, {ID: "1"}, {ID: "2"}},
			Entries: append(cold("a", "b", "c"), manager.Entry{Model: llm("w"), Warm: true}),
		})
		r.job("a")
		after(time.Second)
		r.job("b")
		after(time.Second)
		r.job("a") // b is now the one used least recently; w never counts
		r.job("c")
		r.state("a", inference.Ready, "")
		if s := r.state("b", inference.Evicted, ""); !s.Offered() || s.Capacity != 0 {
			t.Errorf("%+v", s)
		}
		r.state("w", inference.Ready, "")
		r.job("b")
		r.state("a", inference.Evicted, "")
		r.state("w", inference.Ready, "")
		for d, n := range h.most {
			if n > 1 {
				t.Errorf("%d containers at once on GPU %s", n, d)
			}
		}
		r.end()
	})
}

// TestTheBusyStays: its work is waited for as long as the job that needs its place
// waits, and no longer.
func TestTheBusyStays(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{Entries: cold("a", "b")})
		slot, reply := r.hold("a")
		if err := r.try("b", time.Minute); !errors.Is(err, fault.ModelWaitOver) {
			t.Errorf("got %v", err)
		}
		r.state("b", inference.Absent, "")
		r.state("a", inference.Ready, "")
		done := make(chan error, 1)
		go func() { done <- r.try("b", time.Hour) }()
		after(time.Minute)
		if s := r.state("b", inference.Starting, ""); s.Progress != "waiting for a GPU" {
			t.Errorf("%+v", s)
		}
		_ = reply.Body.Close()
		slot.Release()
		if err := <-done; err != nil {
			t.Error(err)
		}
		r.state("a", inference.Evicted, "")
		if !r.board.Healthy() || h.count(h.created, "a") != 1 {
			t.Errorf("%+v", r.board.Snapshot())
		}
		r.end()
	})
}

func TestNoRoomBesideTheWarm(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0", MemoryBytes: 24e9}, {ID: "1"}}, ContainersPerGPU: 2,
			Entries: []manager.Entry{
				{Model: llm("w"), Warm: true, MemoryBytes: 20e9, GPUIDs: []string{"0"}},
				{Model: llm("big"), MemoryBytes: 8e9, GPUIDs: []string{"0"}},
				{Model: llm("small"), MemoryBytes: 4e9, GPUIDs: []string{"0"}},
				{Model: llm("wide"), GPUs: 3},
			},
		})
		after(time.Second)
		for _, m := range []string{"big", "wide"} {
			if err := r.try(m, time.Minute); !errors.Is(err, fault.ModelNoRoom) {
				t.Errorf("%s: %v", m, err)
			}
			r.state(m, inference.Failed, fault.ModelNoRoom)
		}
		r.job("small")
		r.state("w", inference.Ready, "")
		after(time.Minute)
		r.state("big", inference.Absent, fault.ModelNoRoom)
		r.end()
	})
}

// TestOverSeveralGPUs: a model that is spread takes its places all at once, and
// evicts as many as it takes.
func TestOverSeveralGPUs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		entries := append(cold("a", "b"), manager.Entry{Model: llm("wide"), GPUs: 2})
		r := begin(t, h, manager.Options{Devices: []manager.Device{{ID: "0"}, {ID: "GPU-1"}}, Entries: entries})
		r.job("a")
		r.job("b")
		r.job("wide")
		r.state("a", inference.Evicted, "")
		r.state("b", inference.Evicted, "")
		if s := r.state("wide", inference.Ready, ""); fmt.Sprint(s.Devices) != "[0 GPU-1]" {
			t.Errorf("%+v", s)
		}
		for _, b := range h.boxes {
			if fmt.Sprint(b.spec.Devices) != "[0 GPU-1]" || b.spec.ShmBytes == 0 {
				t.Errorf("%+v", b.spec)
			}
		}
		r.job("a")
		r.state("wide", inference.Evicted, "")
		r.end()
	})
}

func TestIdleColdModelsAreUnloaded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{
			IdleTTL: 5 * time.Minute, ContainersPerGPU: 2,
			Entries: append(cold("a"), manager.Entry{Model: llm("w"), Warm: true}),
		})
		r.job("a")
		after(4 * time.Minute)
		slot, reply := r.hold("a")
		after(10 * time.Minute)
		r.state("a", inference.Ready, "")
		_ = reply.Body.Close()
		slot.Release()
		after(4 * time.Minute)
		r.state("a", inference.Ready, "")
		after(6 * time.Minute)
		if s := r.state("a", inference.Absent, ""); !s.Offered() {
			t.Errorf("%+v", s)
		}
		r.state("w", inference.Ready, "")
		r.job("a")
		r.end()
	})
}
