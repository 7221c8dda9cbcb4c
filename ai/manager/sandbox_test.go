package manager_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
)

// permissions are those of a model's container.
func (h *host) permissions(model string) (p docker.Permissions) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.boxes {
		if b.spec.Model == model {
			p = b.spec.Permissions
		}
	}
	return p
}

// An image that must change its files is given that at once, unless its entry
// forbids it, and the board tells.
func TestAnImageThatNeedsItsRoot(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		why := docker.Exit{
			Fault:  fault.New(fault.ContainerRootReadOnly, "run container", ""),
			Status: docker.Status{State: "exited"},
		}
		for _, id := range []string{"open", "shut"} {
			h.programs[id] = &program{slots: 1, dies: time.Second, death: &why, silent: time.Hour}
		}
		r := begin(t, h, manager.Options{ContainersPerGPU: 2, Entries: []manager.Entry{
			{Model: llm("open"), Warm: true},
			{Model: llm("shut"), Warm: true, Sandbox: models.Sandbox{Root: models.RootReadOnly}},
		}})
		if h.permissions("open").WritableRoot || h.permissions("shut").WritableRoot {
			t.Error("a root is writable from the start")
		}
		h.mu.Lock()
		h.programs["open"].dies, h.programs["open"].silent = 0, 0
		h.mu.Unlock()
		after(time.Minute)
		r.state("open", inference.Ready, "")
		if !h.permissions("open").WritableRoot || h.permissions("shut").WritableRoot {
			t.Errorf("open %+v, shut %+v", h.permissions("open"), h.permissions("shut"))
		}
		got := map[string]fault.Code{}
		for _, c := range r.board.Snapshot() {
			got[c.About] = c.Code
		}
		if got["llm open"] != fault.ContainerSandboxDegraded || got["llm shut"] != fault.ContainerRootReadOnly {
			t.Errorf("conditions %v", got)
		}
		r.end()
	})
}

// What the engine cannot keep is shown alongside a runner that works.
func TestRestrictionsThatAreMissing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 1, unconfined: []string{"network (none)", "memory (none)"}}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{
			{Model: llm("a"), Warm: true, Sandbox: models.Sandbox{Network: true, Processes: 7}},
		}})
		after(time.Minute)
		r.state("a", inference.Ready, "")
		all := r.board.Snapshot()
		if len(all) != 1 || all[0].Code != fault.ContainerSandboxDegraded ||
			all[0].Detail != "network (none); memory (none)" {
			t.Errorf("%+v", all)
		}
		if p := h.permissions("a"); !p.Network || p.Processes != 7 || p.WritableModels {
			t.Errorf("%+v", p)
		}
		r.end()
	})
}

// A request with an address that the runner may not be given costs nothing but its
// slot for a moment.
func TestAddressesInJobs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 1}
		asked := 0
		r := begin(t, h, manager.Options{
			Entries: []manager.Entry{{Model: llm("a"), Warm: true, RequestURLs: fetchurl.PublicHosts}},
			Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
				asked++
				if host == "good.example.com" {
					return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
				}
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			},
		})
		after(time.Minute)
		send := func(body string) error {
			slot, err := r.m.Reserve(t.Context(), llm("a"), "party")
			if err != nil {
				t.Fatal(err)
			}
			defer slot.Release()
			reply, err := slot.Run(t.Context(), &inference.Job{Model: llm("a"), Body: []byte(body)})
			if err != nil {
				return err
			}
			return reply.Body.Close()
		}
		if err := send(`{"image_url":"https://good.example.com/a.png"}`); err != nil {
			t.Error(err)
		}
		for _, body := range []string{`{"image_url":"http://10.0.0.1"}`, `{"image_url":"http://inside.example.com"}`} {
			if err := send(body); !errors.Is(err, fault.RequestURLRefused) || fault.ClassOf(err) != fault.BadRequest {
				t.Errorf("%s: %v", body, err)
			}
		}
		if err := send(`{"image_url`); !errors.Is(err, fault.JobUnreadable) {
			t.Error(err)
		}
		if asked != 2 {
			t.Errorf("%d names were looked up", asked)
		}
		r.idle()
		r.state("a", inference.Ready, "")
		r.end()
	})
}
