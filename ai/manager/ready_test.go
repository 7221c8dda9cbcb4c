package manager_test

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// two is a warm model a and a warm model b, each ready on its GPU.
func two(t *testing.T) (*host, *rig) {
	h := newHost()
	h.programs["a"] = &program{slots: 2, silent: time.Second}
	h.programs["b"] = &program{slots: 2, silent: time.Second}
	r := begin(t, h, manager.Options{
		Devices: []manager.Device{{ID: "0"}, {ID: "1"}},
		Entries: []manager.Entry{{Model: llm("a"), Warm: true}, {Model: llm("b"), Warm: true}},
	})
	after(2 * time.Second)
	r.state("a", inference.Ready, "")
	return h, r
}

// TestOneCrashTouchesNoOther: the crashed model is refused, restarted and offered
// again; the other never left.
func TestOneCrashTouchesNoOther(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, r := two(t)
		slot, reply := r.hold("a")
		_, other := r.hold("b")
		h.kill("a")
		if s := r.state("a", inference.Failed, fault.ContainerExited); s.Capacity != 0 || s.InUse != 1 {
			t.Errorf("%+v", s)
		}
		if err := r.try("a", time.Minute); !errors.Is(err, fault.ContainerExited) {
			t.Errorf("got %v", err)
		}
		_ = reply.Body.Close()
		slot.Release()
		r.job("b")
		after(2100 * time.Millisecond)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 2 || s.InUse != 0 {
			t.Errorf("%+v", s)
		}
		if s := r.state("b", inference.Ready, ""); s.InUse != 1 {
			t.Errorf("%+v", s)
		}
		if h.count(h.created, "b") != 1 || r.states.of("b") != "ready" {
			t.Errorf("b was made %d times and went through %s", h.count(h.created, "b"), r.states.of("b"))
		}
		if got := r.states.of("a"); got != "ready failed starting ready" {
			t.Errorf("a went through %s", got)
		}
		_ = other.Body.Close()
		r.end()
	})
}

func TestAReadyRunnerGoesWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		change  func(*program)
		code    fault.Code
		atMost  time.Duration
		atLeast time.Duration
	}{
		{"stopped: it takes connections and says nothing", func(p *program) { p.stuck = true }, fault.RunnerStalled,
			16 * time.Second, 11 * time.Second},
		{"nothing listens any more", func(p *program) { p.down = true }, fault.RunnerUnreachable, 6 * time.Second,
			time.Second},
		{"it says that it is broken", func(p *program) { p.health = backend.Error }, fault.ModelUnhealthy, 5 * time.Second,
			0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h, r := two(t)
				begun := time.Now()
				h.change("a", tt.change)
				for r.m.Models()[0].State == inference.Ready && time.Since(begun) < time.Minute {
					after(100 * time.Millisecond)
				}
				if took := time.Since(begun); took > tt.atMost || took < tt.atLeast {
					t.Errorf("noticed after %v", took)
				}
				s := r.state("a", inference.Failed, tt.code)
				if len(s.LastLines) != 1 || s.LastLines[0] != "still here" {
					t.Errorf("%q", s.LastLines)
				}
				h.mu.Lock()
				*h.programs["a"] = program{slots: 2}
				h.mu.Unlock()
				after(1100 * time.Millisecond)
				r.state("a", inference.Ready, "")
				if n := h.count(h.removed, "a"); n != 1 {
					t.Errorf("%d removed", n)
				}
				r.end()
			})
		})
	}
}

// TestOneLostProbeIsNothing: only the second in a row counts.
func TestOneLostProbeIsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, r := two(t)
		probes := func() (n int) {
			h.change("a", func(p *program) { n = max(n, p.probes) })
			return n
		}
		for range 5 {
			h.change("a", func(p *program) { p.down = true })
			for before := probes(); probes() == before; {
				after(100 * time.Millisecond)
			}
			h.change("a", func(p *program) { p.down = false })
			after(3 * time.Second)
		}
		if got := r.states.of("a"); got != "ready" || h.count(h.created, "a") != 1 {
			t.Errorf("a went through %s", got)
		}
		r.end()
	})
}

// TestLoadingAgainIsWaitedFor: a runner that loads once more gets no jobs, and
// loses none that wait.
func TestLoadingAgainIsWaitedFor(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, r := two(t)
		h.change("a", func(p *program) { p.health = backend.Loading })
		after(5 * time.Second)
		r.state("a", inference.Loading, "")
		done := make(chan error)
		go func() { done <- r.try("a", time.Minute) }()
		after(10 * time.Second)
		h.change("a", func(p *program) { p.health = backend.Idle })
		if err := <-done; err != nil {
			t.Error(err)
		}
		r.state("a", inference.Ready, "")
		h.change("a", func(p *program) { p.health = backend.Loading })
		after(11 * time.Minute)
		if n := h.count(h.removed, "a"); n != 1 {
			t.Errorf("%d removed: loading forever is a failure", n)
		}
		r.end()
	})
}

// TestAFailedJobHasTheRunnerLookedAt: at once, not at the next probe.
func TestAFailedJobHasTheRunnerLookedAt(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"when it is sent", "in its answer"} {
		t.Run(way, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h, r := two(t)
				slot, err := r.m.Reserve(t.Context(), llm("a"), "party")
				if err != nil {
					t.Fatal(err)
				}
				if way == "in its answer" {
					reply, err := slot.Run(t.Context(), &inference.Job{Body: []byte("break")})
					if err != nil {
						t.Fatal(err)
					}
					h.change("a", func(p *program) { p.down = true })
					if _, err := io.ReadAll(reply.Body); !errors.Is(err, fault.RunnerBroke) {
						t.Errorf("got %v", err)
					}
					_ = reply.Body.Close()
				} else {
					h.change("a", func(p *program) { p.down = true })
					if _, err := slot.Run(t.Context(), &inference.Job{}); !errors.Is(err, fault.RunnerUnreachable) {
						t.Errorf("got %v", err)
					}
				}
				synctest.Wait()
				if s := r.state("a", inference.Failed, fault.RunnerUnreachable); s.InUse != 0 {
					t.Errorf("%+v", s)
				}
				r.end()
			})
		})
	}
}

// TestTheSecondContainerGoesOn: a model with two containers is ready with one.
func TestTheSecondContainerGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 2, version: "0.14.1"}
		r := begin(t, h, manager.Options{
			Devices: []manager.Device{{ID: "0"}, {ID: "1"}},
			Entries: []manager.Entry{{Model: llm("a"), Warm: true, Capacity: 2}},
		})
		after(time.Second)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 4 || len(s.Devices) != 2 {
			t.Errorf("%+v", s)
		}
		h.mu.Lock()
		var first *box
		for _, b := range h.boxes {
			if first == nil || b.id < first.id {
				first = b
			}
		}
		h.programs["a"].version = "0.13.0"
		h.mu.Unlock()
		h.die(first, nil)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 2 {
			t.Errorf("%+v", s)
		}
		if len(r.board.Snapshot()) != 1 {
			t.Error("nothing on the board")
		}
		r.job("a")
		after(2 * time.Second)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 4 || s.RunnerVersion != "0.13.0" {
			t.Errorf("%+v", s)
		}
		if !r.board.Healthy() {
			t.Error("left on the board")
		}
		r.end()
	})
}
