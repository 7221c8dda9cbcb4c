package worker_test

import (
	"slices"
	"strings"
	"testing"
)

// A worker tells the gateways of its orchestrator apart, as a node with models of its own
// does: what one of them has a model server say, or the images that one has fetched, keep
// no other's jobs waiting. It learns no gateway's account or address.
func TestPairPartiesAreToldApart(t *testing.T) {
	p, addr := newPool(t)
	m := newModels(llm("m"), 1)
	newRig(t, "rig1", addr, m)
	has(t, p, llm("m"), 1)
	parties := []string{"192.0.2.7", "192.0.2.8", "192.0.2.7"}
	for _, party := range parties {
		slot, err := p.Reserve(t.Context(), llm("m"), party)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := slot.Run(t.Context(), chat(llm("m"), false))
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		slot.Release()
	}
	m.mu.Lock()
	got := slices.Clone(m.parties)
	m.mu.Unlock()
	if len(got) != 3 || got[0] == got[1] || got[0] != got[2] {
		t.Errorf("jobs of %q count as those of %q", parties, got)
	}
	if strings.Contains(strings.Join(got, " "), "192.0.2") {
		t.Errorf("the worker is given addresses: %q", got)
	}
}
