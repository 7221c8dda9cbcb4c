package manager_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
)

// extra is the container of a live runner.
func extra(m *manager.Manager) *manager.ExtraContainer {
	c := &manager.ExtraContainer{
		Kind: "live-runner", Name: "filter", Image: "r/filter", Command: []string{"-x"}, Env: []string{"PORT=9001"},
		Devices: []string{"0"}, Port: 9001, Sandbox: models.Sandbox{Network: true, Processes: 99, MemoryBytes: 5},
	}
	c.Use(m)
	return c
}

// A container that is no model runs with what it asks for, and is removed when it ends, is broken, or the node stops.
func TestExtraContainer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["filter"] = &program{dies: time.Minute}
		r := begin(t, h, manager.Options{})
		c := extra(r.m)
		var at []netip.AddrPort
		err := c.Run(t.Context(), func(a netip.AddrPort) {
			at = append(at, a)
			h.mu.Lock()
			defer h.mu.Unlock()
			for _, b := range h.boxes {
				s, p := b.spec, b.spec.Permissions
				if s.Image != "r/filter" || s.ContainerPort != 9001 || !slices.Equal(s.Devices, []string{"0"}) ||
					!slices.Equal(s.Command, []string{"-x"}) || s.MemoryBytes != 5 || !p.Network || p.Processes != 99 ||
					p.WritableRoot || s.ModelsDir != "" {
					t.Errorf("%+v", s)
				}
			}
		})
		if !errors.Is(err, fault.ContainerExited) || len(at) != 1 || h.left() != 0 || h.count(h.pulls, "r/filter") != 1 {
			t.Error(err, at, h.left())
		}
		broken := errors.New("ill")
		h.change("filter", func(p *program) { p.dies = 0 })
		c.Broken = func() error { return broken }
		if err := c.Run(t.Context(), func(netip.AddrPort) {}); !errors.Is(err, broken) || h.left() != 0 {
			t.Error(err, h.left())
		}
		c.Broken = nil
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx, func(netip.AddrPort) {}) }()
		synctest.Wait()
		if h.left() != 1 {
			t.Error(h.left(), "containers run")
		}
		cancel()
		if err := <-done; err == nil || h.left() != 0 {
			t.Error(err, h.left())
		}
		r.end()
	})
}

// One that needs to change files of its image may, after it failed because of that, unless its entry forbids it.
func TestRootOfAnExtraContainer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["filter"] = &program{dies: time.Second,
			death: &docker.Exit{Fault: fault.New(fault.ContainerRootReadOnly, "run container", "")}}
		r := begin(t, h, manager.Options{})
		writable := func(c *manager.ExtraContainer) (out bool) {
			_ = c.Run(t.Context(), func(netip.AddrPort) {
				h.mu.Lock()
				defer h.mu.Unlock()
				for _, b := range h.boxes {
					out = b.spec.Permissions.WritableRoot
				}
			})
			return out
		}
		c := extra(r.m)
		if first, second := writable(c), writable(c); first || !second {
			t.Error("the root is not writable after it had to be")
		}
		c = extra(r.m)
		c.Sandbox.Root = models.RootReadOnly
		if first, second := writable(c), writable(c); first || second {
			t.Error("the root is writable against the entry")
		}
		r.end()
	})
}

// With a real engine a runner's container answers at its address, and nothing is left of it.
func TestExtraContainerAtAnEngine(t *testing.T) {
	t.Parallel()
	n := start(t)
	c := &manager.ExtraContainer{Kind: "live-runner", Name: "filter", Image: engine.Start(t).RunnerImage(t),
		Env: []string{"PORT=9001"}, Port: 9001}
	c.Use(n.m)
	ctx, cancel := context.WithCancel(t.Context())
	answered := false
	err := c.Run(ctx, func(at netip.AddrPort) {
		answered = answers(t, "http://"+at.String()+"/health")
		if len(n.containers(t.Context())) != 1 {
			t.Error(n.containers(t.Context()))
		}
		cancel()
	})
	if err == nil || !answered {
		t.Error(err, answered)
	}
}

// answers waits until a server answers.
func answers(t *testing.T, url string) bool {
	t.Helper()
	deadline, tick := time.NewTimer(patience), time.NewTicker(20*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		if res, err := http.Get(url); err == nil {
			_ = res.Body.Close()
			return res.StatusCode == http.StatusOK
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return false
		}
	}
}
