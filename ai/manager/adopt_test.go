package manager_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/inference"
)

// stop ends a run of the node, whose containers may stay.
func (r *rig) stop() {
	r.t.Helper()
	r.cancel()
	if err := <-r.done; err != nil {
		r.t.Errorf("run: %v", err)
	}
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	r.h.known = map[docker.ID]bool{}
}

// counts checks how many containers of a model were ever made and removed.
func (h *host) counts(t *testing.T, model string, created, removed int) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.created[model] != created || h.removed[model] != removed {
		t.Errorf("%s: %d made and %d removed, want %d and %d", model, h.created[model], h.removed[model], created, removed)
	}
}

func several(e manager.Entry, n int) manager.Entry {
	e.Capacity = n
	return e
}

// The containers of warm models outlive the node, and its next run has them at once; what it wants otherwise, or no
// more, is replaced or removed.
func TestContainersGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		o := manager.Options{Adopt: true, KeepContainers: true, ContainersPerGPU: 9,
			Entries: []manager.Entry{several(warm("a"), 2), warm("b"), cold("c")[0]}}
		r := begin(t, h, o)
		after(0)
		r.job("c")
		r.stop()
		h.counts(t, "a", 2, 0)
		h.counts(t, "c", 1, 1)

		r = begin(t, h, o) // nothing but the first probe is waited for
		r.state("a", inference.Ready, "")
		r.state("b", inference.Ready, "")
		r.job("a")
		h.counts(t, "a", 2, 0)
		h.counts(t, "b", 1, 0)
		r.stop()

		b := warm("b")
		b.Env = models.Settings{models.NewSetting("A", "new")}
		o.Entries = []manager.Entry{warm("a"), b}
		o.KeepContainers = false
		r = begin(t, h, o)
		r.state("a", inference.Ready, "")
		r.state("b", inference.Ready, "")
		h.counts(t, "a", 2, 1)
		h.counts(t, "b", 2, 1)
		r.end()
		h.counts(t, "a", 2, 2)
	})
}

// A process that takes over gets the containers; one that is to stop leaves none, and one without a key neither.
func TestHandOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		adopt, over bool
		left        int
	}{"handed over": {true, true, 1}, "stopped": {true, false, 0}, "no key": {false, true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHost()
				r := begin(t, h, manager.Options{Adopt: tt.adopt, Entries: []manager.Entry{warm("a")}})
				r.state("a", inference.Ready, "")
				if tt.over {
					if err := r.m.HandOver(context.Background()); err != nil {
						t.Error(err)
					}
				}
				r.stop()
				if n := h.left(); n != tt.left {
					t.Errorf("%d containers are left, want %d", n, tt.left)
				}
				// Whatever is left of a node that wants none now is removed.
				r = begin(t, h, manager.Options{Adopt: true, Orphans: true})
				if n := h.left(); n != 0 {
					t.Errorf("%d orphans", n)
				}
				r.end()
			})
		})
	}
}

// A container that ended while no node ran is replaced.
func TestItEndedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		o := manager.Options{Adopt: true, KeepContainers: true, Entries: []manager.Entry{warm("a")}}
		r := begin(t, h, o)
		r.state("a", inference.Ready, "")
		r.stop()
		h.mu.Lock()
		for _, b := range h.boxes {
			go h.die(b, nil)
		}
		h.mu.Unlock()
		synctest.Wait()
		o.KeepContainers = false
		r = begin(t, h, o)
		r.state("a", inference.Ready, "")
		h.counts(t, "a", 2, 1)
		r.end()
	})
}

// Another number of containers touches none that stays.
func TestMoreAndFewerContainers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{ContainersPerGPU: 9, Entries: []manager.Entry{warm("a")}})
		r.state("a", inference.Ready, "")
		for _, step := range []struct{ capacity, created, removed int }{{3, 3, 0}, {2, 3, 1}, {4, 5, 1}} {
			r.m.Replace([]manager.Entry{several(warm("a"), step.capacity)})
			after(0)
			h.counts(t, "a", step.created, step.removed)
		}
		r.end()
	})
}
