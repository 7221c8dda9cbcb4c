package upgrade

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// warmNode is a node with one model in a container.
type warmNode struct {
	*node
	engine *engine.Engine
}

// containerFile writes the node's aiModels.json with one model of the fake runner, or with none.
func (n *warmNode) containerFile(price int, flags map[string]string) {
	n.t.Helper()
	entries := []map[string]any{}
	if flags != nil {
		entries = append(entries, map[string]any{"pipeline": "llm", "model_id": "test/warm", "warm": true,
			"price_per_unit": price, "pixels_per_unit": 1000000, "image": n.engine.RunnerImage(n.t),
			"optimization_flags": flags})
	}
	text, err := json.Marshal(entries)
	if err != nil {
		n.t.Fatal(err)
	}
	writeFile(n.t, filepath.Join(n.dir, "aiModels.json"), text, 0o600)
}

// run starts the node.
func (n *warmNode) run(more ...string) {
	n.t.Helper()
	n.p = harness.StartIn(n.t, n.program(), []string{"DOCKER_HOST=" + n.engine.Host}, append(n.args(), more...)...)
	n.up()
}

// containers are the node's at the engine: their IDs.
func (n *warmNode) containers() (ids []string) {
	n.t.Helper()
	list, err := n.engine.API.ContainerList(n.t.Context(), client.ContainerListOptions{All: true})
	if err != nil {
		n.t.Fatal(err)
	}
	for _, c := range list.Items {
		if strings.Contains(c.Labels["creator_id"], n.addr) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// warm waits until the model is ready, and returns its container.
func (n *warmNode) warm() string {
	n.t.Helper()
	within(n.t, 30*time.Second, "the warm model", func() bool { return n.modelStates()["test/warm"] == "ready" })
	ids := n.containers()
	if len(ids) != 1 {
		n.t.Fatalf("containers %q", ids)
	}
	return ids[0]
}

// TestWarmModelsSurvive: a model's container goes on over a new price, an upgrade, a kill of the node and, if its
// operator says so, a restart. What is wanted otherwise is replaced, and what is wanted no more removed.
func TestWarmModelsSurvive(t *testing.T) {
	t.Parallel()
	n := &warmNode{prepare(t, ""), engine.Start(t)}
	flags := map[string]string{"FAKE_WORDS": "20"}
	n.containerFile(0, flags)
	n.run()
	first := n.warm()
	same := func(after string) {
		t.Helper()
		if now := n.warm(); now != first {
			t.Fatalf("after %s it is the container %s, not %s", after, now, first)
		}
	}
	n.containerFile(5, flags)
	if err := n.change(adminapi.PathReload, nil, &adminapi.Reloaded{}); err != nil {
		t.Fatal(err)
	}
	same("a new price")

	next := n.upgrade()
	n.ends(n.p.PID())
	n.serves(next)
	same("an upgrade")
	n.kill(next)
	if ids := n.containers(); len(ids) != 1 || ids[0] != first {
		t.Fatalf("containers %q after the kill", ids)
	}

	n.run("-aiKeepContainers")
	same("a kill")
	if log := n.p.Log(); !strings.Contains(log, "a model's container goes on") {
		t.Error(log)
	}
	n.p.Signal(syscall.SIGTERM)
	n.p.Exit(time.Minute)
	n.run("-aiKeepContainers")
	same("a restart")

	n.p.Signal(syscall.SIGKILL)
	n.p.Exit(time.Minute)
	n.containerFile(0, map[string]string{"FAKE_WORDS": "21"})
	n.run()
	if other := n.warm(); other == first {
		t.Error("it has the old variables")
	}
	n.p.Signal(syscall.SIGKILL)
	n.p.Exit(time.Minute)
	n.containerFile(0, nil)
	n.run()
	within(t, 30*time.Second, "the orphan's removal", func() bool { return len(n.containers()) == 0 })

	n.p.Signal(syscall.SIGTERM)
	n.p.Exit(time.Minute)
	n.containerFile(0, flags)
	n.run()
	n.warm()
	n.p.Signal(syscall.SIGTERM)
	n.p.Exit(time.Minute)
	if ids := n.containers(); len(ids) != 0 {
		t.Errorf("containers %q are left at a stop", ids)
	}
}
