package manager_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func TestWarmModelsStartTogether(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.pullTime = 10 * time.Second
		for _, m := range []string{"a", "b"} {
			h.programs[m] = &program{silent: time.Second, loads: time.Second, slots: 8, version: "0.14.1"}
		}
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0"}, {ID: "1"}},
			Entries: []manager.Entry{{Model: llm("a"), Warm: true}, {Model: llm("b"), Warm: true}},
		})
		if s := r.state("a", inference.Pulling, ""); s.Progress != "0 % of 100 MB" || s.Offered() {
			t.Errorf("%+v", s)
		}
		after(10*time.Second + 500*time.Millisecond)
		r.state("a", inference.Starting, "")
		after(time.Second)
		r.state("b", inference.Loading, "")
		after(time.Second)
		for i, m := range []string{"a", "b"} {
			s := r.state(m, inference.Ready, "")
			if s.Capacity != 8 || s.RunnerVersion != "0.14.1" || len(s.Devices) != 1 || s.Devices[0] != fmt.Sprint(i) &&
				s.Devices[0] != fmt.Sprint(1-i) || !s.Warm || !s.Offered() {
				t.Errorf("%+v", s)
			}
			r.job(m)
			if got := r.states.of(m); got != "pulling starting loading ready" {
				t.Errorf("%s went through %s", m, got)
			}
		}
		if h.swept != 1 {
			t.Errorf("strays were looked for %d times", h.swept)
		}
		r.end()
		if got := r.states.of("a"); got != "pulling starting loading ready draining" {
			t.Errorf("a went through %s", got)
		}
	})
}

// TestColdStartAddsLittle: from the moment the runner answers to the job's slot.
func TestColdStartAddsLittle(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		for _, silent := range []time.Duration{41 * time.Millisecond, 440 * time.Millisecond, 3 * time.Second} {
			h := newHost()
			h.programs["a"] = &program{silent: silent, slots: 1}
			r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a")}}})
			begun := time.Now()
			r.job("a")
			if added := time.Since(begun) - silent; added > max(silent/9, 20*time.Millisecond) || added > 250*time.Millisecond {
				t.Errorf("%v added to %v", added, silent)
			}
			r.end()
		}
	})
}

func TestFiftyJobsShareOneColdStart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{silent: 3 * time.Second, slots: 4}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a")}}, ContainersPerGPU: 3})
		if s := r.state("a", inference.Absent, ""); !s.Offered() {
			t.Error("a cold model is not offered")
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { r.job("a") })
		}
		after(2 * time.Second)
		if s := r.state("a", inference.Starting, ""); s.Waiting != 50 {
			t.Errorf("%+v", s)
		}
		wg.Wait()
		synctest.Wait()
		if n := h.count(h.created, "a"); n != 1 {
			t.Errorf("%d containers", n)
		}
		if s := r.state("a", inference.Ready, ""); s.InUse != 0 || s.Capacity != 4 {
			t.Errorf("%+v", s)
		}
		r.end()
	})
}

// TestMoreContainersWhenOneIsNotEnough: those of a cold entry start one by one.
func TestMoreContainersWhenOneIsNotEnough(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{silent: time.Second, slots: 2}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Capacity: 3}}, ContainersPerGPU: 3})
		for i, want := range []int{1, 1, 2, 2, 3, 3} {
			r.hold("a")
			if n := h.count(h.created, "a"); n != want {
				t.Errorf("%d containers for job %d, want %d", n, i, want)
			}
		}
		if s := r.state("a", inference.Ready, ""); s.Capacity != 6 || s.InUse != 6 {
			t.Errorf("%+v", s)
		}
		for _, b := range h.boxes {
			if b.mostJob != 2 {
				t.Errorf("%d jobs at once on a runner of 2", b.mostJob)
			}
		}
		if err := r.try("a", time.Second); !errors.Is(err, fault.ModelWaitOver) ||
			!strings.Contains(err.Error(), "6 of 6 in use") {
			t.Errorf("got %v", err)
		}
		r.cancel()
		<-r.done
	})
}

func TestRefusals(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{silent: time.Hour}
		r := begin(t, h, manager.Options{Queue: 1, Entries: []manager.Entry{{Model: llm("a")}}})
		if err := r.try("other", time.Second); !errors.Is(err, fault.ModelNotServed) {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		waits := make(chan error, 1)
		go func() { _, err := r.m.Reserve(ctx, llm("a"), "party"); waits <- err }()
		synctest.Wait()
		if err := r.try("a", time.Second); !errors.Is(err, fault.ModelLineFull) {
			t.Errorf("got %v", err)
		}
		cancel()
		if err := <-waits; fault.CodeOf(err) != fault.Canceled {
			t.Errorf("got %v", err)
		}
		if err := r.try("a", time.Second); !errors.Is(err, fault.ModelWaitOver) ||
			!strings.Contains(err.Error(), "llm a is starting") {
			t.Errorf("got %v", err)
		}
		r.end()
		if err := r.try("a", time.Second); !errors.Is(err, fault.Draining) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestFailuresOfAStart: each way in which a container does not come up gives its
// reason to the waiting callers, to the state and to the board, and is tried again.
func TestFailuresOfAStart(t *testing.T) {
	t.Parallel()
	oom := docker.Exit{Fault: fault.New(fault.ContainerOOM, "run container", "the GPU's memory does not suffice"),
		Lines: []string{"loading", "CUDA out of memory"}}
	for _, tt := range []struct {
		name  string
		world func(h *host)
		limit time.Duration
		code  fault.Code
		lines int
	}{
		{"no engine there", func(h *host) { h.engineErr = fault.New(fault.DockerMissing, "list containers", "") }, 0,
			fault.DockerMissing, 0},
		{"no image", func(h *host) { h.pullErr = fault.New(fault.ImageUnknown, "pull image", "no such tag") }, 0,
			fault.ImageUnknown, 0},
		{"it does not start", func(h *host) {
			h.programs["a"].startErr = fault.New(fault.GPUToolkitMissing, "start container",
				"")
		}, 0, fault.GPUToolkitMissing, 0},
		{"its port stays taken", func(h *host) {
			h.programs["a"].startErr = fault.New(fault.ContainerPortConflict, "start container", "")
		}, 0, fault.ContainerPortConflict, 0},
		{"it ends while it loads", func(h *host) { h.programs["a"].dies, h.programs["a"].death = time.Second, &oom }, 0,
			fault.ContainerOOM, 2},
		{"it says that it is broken", func(h *host) { h.programs["a"].health = backend.Error }, 0, fault.ModelUnhealthy, 1},
		{"it never answers", func(h *host) { h.programs["a"].down = true }, 10 * time.Minute, fault.ModelLoadTimeout, 1},
		{"it hangs", func(h *host) { h.programs["a"].stuck = true }, 10 * time.Minute, fault.ModelLoadTimeout, 1},
		{"it loads forever", func(h *host) { h.programs["a"].health = backend.Loading }, 10 * time.Minute,
			fault.ModelLoadTimeout, 1},
		{"it is another model", func(h *host) { h.programs["a"].missing = true }, 0, fault.RunnerModelMissing, 1},
		{"the engine hangs", func(h *host) { h.hang["a"] = true }, 3 * time.Minute, fault.DockerFailed, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				h.programs["a"] = &program{silent: 2 * time.Second, slots: 1}
				tt.world(h)
				r := begin(t, h, manager.Options{ContainersPerGPU: 2,
					Entries: []manager.Entry{{Model: llm("a")}, {Model: llm("b")}}})
				if h.engineErr == nil && h.pullErr == nil {
					r.job("b") // another model has nothing to do with it
				}
				begun := time.Now()
				err := r.try("a", time.Hour)
				if !errors.Is(err, tt.code) || fault.ClassOf(err) != fault.Busy && fault.ClassOf(err) != fault.Upstream {
					t.Errorf("got %v", err)
				}
				if fault.Wire(err) != "insufficient capacity" {
					t.Errorf("peers see %q", fault.Wire(err))
				}
				if took := time.Since(begun); took < tt.limit || took > tt.limit+30*time.Second {
					t.Errorf("took %v", took)
				}
				if s := r.state("a", inference.Failed, tt.code); len(s.LastLines) != tt.lines || s.Offered() {
					t.Errorf("%+v", s)
				}
				if err := r.try("a", time.Minute); !errors.Is(err, tt.code) {
					t.Errorf("the next one: %v", err)
				}
				if r.board.Healthy() {
					t.Error("nothing on the board")
				}
				after(2 * time.Second)
				s := r.state("a", inference.Absent, tt.code)
				if !s.Offered() || s.Reason == "" {
					t.Errorf("%+v", s)
				}
				if n := h.count(h.created, "a"); n != h.count(h.removed, "a") {
					t.Errorf("%d created, %d removed", n, h.count(h.removed, "a"))
				}
				h.mu.Lock()
				h.engineErr, h.pullErr, h.hang["a"] = nil, nil, false
				*h.programs["a"] = program{slots: 1}
				h.mu.Unlock()
				r.job("a")
				r.state("a", inference.Ready, "")
				if s := r.board.Snapshot(); len(s) > 0 && s[0].About == "llm a" {
					t.Errorf("left on the board: %+v", s)
				}
				r.end()
			})
		})
	}
}

func TestRestartsBackOff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 1, dies: time.Millisecond, silent: time.Hour}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Warm: true}}})
		after(10 * time.Minute)
		// 1 + 2 + 4 + 8 + 16 + 32 s and then one per minute.
		if n := h.count(h.created, "a"); n < 15 || n > 16 {
			t.Errorf("%d containers in 10 minutes", n)
		}
		if n := r.log.count("condition set"); n != 1 {
			t.Errorf("the condition was logged %d times", n)
		}
		h.change("a", func(p *program) { p.dies, p.silent = 0, 0 })
		after(time.Minute)
		r.state("a", inference.Ready, "")
		after(11 * time.Minute)
		h.kill("a")
		r.state("a", inference.Failed, fault.ContainerExited)
		after(1100 * time.Millisecond) // it had been well for long
		r.state("a", inference.Ready, "")
		r.end()
	})
}

// TestAPortThatSomethingTakes: another is tried, and what was tried is given back.
func TestAPortThatSomethingTakes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.claimed = []uint16{8500, 21000}
		ports := docker.NewPorts(func(uint16) bool { return true })
		r := begin(t, h, manager.Options{Ports: ports, Entries: cold("a")})
		r.job("a")
		if got := fmt.Sprint(h.ports); got != "[8500 21000 21001]" {
			t.Errorf("tried %s", got)
		}
		for _, want := range []uint16{8500, 21000, 21002} {
			if got, err := ports.Take("llm", nil); err != nil || got != want {
				t.Errorf("port %d, %v: want %d", got, err, want)
			}
		}
		r.end()
	})
}

// TestTheEnginesWordMayGetLost: a container that ended while loading is noticed
// all the same.
func TestTheEnginesWordMayGetLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.mute = true
		h.programs["a"] = &program{silent: time.Hour, dies: time.Second}
		r := begin(t, h, manager.Options{Entries: cold("a")})
		if err := r.try("a", 10*time.Second); !errors.Is(err, fault.ContainerExited) {
			t.Errorf("got %v", err)
		}
		r.end()
	})
}

// TestNoCallerIsLeftToLoadFor: the client that asked for a model while its image was
// pulled has gone when it is there.
func TestNoCallerIsLeftToLoadFor(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.pullTime, h.mute = time.Minute, true
		r := begin(t, h, manager.Options{Entries: cold("a")})
		if err := r.try("a", time.Second); !errors.Is(err, fault.ModelWaitOver) {
			t.Errorf("got %v", err)
		}
		after(2 * time.Minute)
		r.state("a", inference.Absent, "")
		if n := h.count(h.created, "a"); n != 0 {
			t.Errorf("%d containers", n)
		}
		r.end()
	})
}
