package manager_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// TestWhateverHappens: any order of jobs, crashes, hangs and lost engines leaves
// no slot taken, no device with two containers, no goroutine and no container;
// once the failures end, every model serves again.
func TestWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.SliceOfN(rapid.IntRange(0, 9999), 1, 40).Draw(rt, "events")
		synctest.Test(t, func(t *testing.T) { chaos(t, rt, events) })
	})
}

var names = []string{"a", "b", "c", "warm", "served"}

func chaos(t *testing.T, rt *rapid.T, events []int) {
	h := newHost()
	for i, n := range names[:4] {
		h.programs[n] = &program{slots: 1 + i%3, silent: time.Duration(i) * 300 * time.Millisecond,
			loads: time.Duration(i%2) * time.Second}
	}
	h.servers["http://one:8000"] = &program{slots: 2}
	r := begin(t, h, manager.Options{
		Devices: []manager.Device{{ID: "0"}, {ID: "1"}}, IdleTTL: time.Minute, Queue: 4,
		Entries: append(cold("a", "b"),
			manager.Entry{Model: llm("c"), GPUs: 2},
			manager.Entry{Model: llm("warm"), Warm: true, GPUIDs: []string{"0"}},
			manager.Entry{Model: llm("served"), URL: "http://one:8000"}),
	})
	ctx, cancel := context.WithCancel(t.Context())
	var jobs sync.WaitGroup
	for _, e := range events {
		shake(ctx, r, h, &jobs, e)
		for _, s := range r.m.Models() {
			if s.Capacity > 3 || s.State == inference.Ready && s.InUse > s.Capacity && s.Capacity > 0 && !shrunk(r, s.Model.ID) {
				rt.Fatalf("%+v", s)
			}
		}
	}
	h.mu.Lock()
	h.engineErr, h.hang = nil, map[string]bool{}
	h.mu.Unlock()
	for _, n := range append(names[:4:4], "http://one:8000") {
		h.change(n, func(p *program) { p.stuck, p.down, p.health, p.dies = false, false, "", 0 })
	}
	after(10 * time.Minute)
	jobs.Wait()
	synctest.Wait()
	r.idle()
	for _, n := range []string{"a", "b", "warm", "served"} {
		if err := r.try(n, 5*time.Minute); err != nil {
			rt.Fatalf("%s does not come back: %v", n, err)
		}
	}
	for d, n := range h.most {
		if n > 1 {
			rt.Fatalf("%d containers at once on GPU %s", n, d)
		}
	}
	cancel()
	r.end()
	if t.Failed() {
		rt.Fatal("see above")
	}
}

// shrunk: a model may have more jobs than slots only after it lost a runner.
func shrunk(r *rig, model string) bool { return r.states.of(model) != "ready" }

func shake(ctx context.Context, r *rig, h *host, jobs *sync.WaitGroup, e int) {
	name := names[e/10%len(names)]
	where := name
	if name == "served" {
		where = "http://one:8000"
	}
	switch e % 10 {
	case 0, 1, 2, 3:
		jobs.Go(func() { work(ctx, r, name, e) })
		synctest.Wait()
	case 4:
		h.kill(name)
	case 5:
		h.change(where, func(p *program) { p.stuck = !p.stuck })
	case 6:
		h.change(where, func(p *program) {
			p.health = []backend.Health{"", backend.Error, backend.Loading, backend.Idle}[e/100%4]
		})
	case 7:
		h.change(where, func(p *program) { p.down = !p.down; p.dies = time.Duration(e/1000) * time.Second })
	case 8:
		h.mu.Lock()
		defer h.mu.Unlock()
		switch {
		case e/100%2 == 0:
			h.hang[name] = !h.hang[name]
		case h.engineErr == nil:
			h.engineErr = fault.New(fault.DockerMissing, "call the engine", "nothing answers")
		default:
			h.engineErr = nil
		}
	default:
		after(time.Duration(e/100) * 100 * time.Millisecond)
	}
}

// work is a job of some length that ends in one of several ways.
func work(ctx context.Context, r *rig, name string, e int) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(1+e/1000)*10*time.Second)
	defer cancel()
	slot, err := r.m.Reserve(ctx, llm(name), fmt.Sprint(e/100%3))
	if err != nil {
		return
	}
	body := "whole"
	if e%7 == 0 {
		body = "break"
	}
	reply, err := slot.Run(ctx, &inference.Job{Body: []byte(body)})
	if err != nil {
		return // without Release: a failed job has given its slot back
	}
	<-time.After(time.Duration(e%5) * time.Second)
	switch e % 3 {
	case 0:
		_, _ = reply.Body.Read(make([]byte, 10))
		_ = reply.Body.Close()
	case 1:
		slot.Release()
	}
	// case 2: forgotten, until ctx ends.
	<-ctx.Done()
}
