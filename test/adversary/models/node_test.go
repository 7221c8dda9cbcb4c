package models_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// entry is a model as it stands in aiModels.json.
type entry map[string]any

// with is the entry with more fields.
func (e entry) with(more entry) entry {
	out := entry{}
	for _, fields := range []entry{e, more} {
		for name, v := range fields {
			out[name] = v
		}
	}
	return out
}

var hostileImage sync.Once

// hostile is an entry whose image is the hostile model server.
func hostile(t *testing.T, e *engine.Engine, model string) entry {
	t.Helper()
	const image = "tutti-test/hostile:1"
	hostileImage.Do(func() {
		root := t.TempDir()
		build := exec.Command("go", "build", "-o", filepath.Join(root, "hostile"), "./hostile")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the hostile model server: %v\n%s", err, text)
		}
		for _, dir := range []string{"etc", "opt"} {
			if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(root, "etc", "passwd"), []byte("root:x:0:0::/:/\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.Import(t, root, image, []string{"/hostile"}, nil)
	})
	return entry{"pipeline": "llm", "model_id": model, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1000000,
		"image": image}
}

// node is an orchestrator with its models.
type node struct {
	*harness.Process
	t *testing.T
	// addr is its service address, admin that of its admin listener, models the
	// directory of weights.
	addr, admin, models string
	e                   *engine.Engine
}

// start starts an orchestrator with models of its own and waits until all are ready.
func start(t *testing.T, e *engine.Engine, entries []entry, args ...string) *node {
	t.Helper()
	n := newNode(t, e, entries)
	n.run(append([]string{"-orchestrator", "-aiWorker", "-serviceAddr", n.addr, "-httpAddr", n.addr}, args...)...)
	n.WaitHTTP("https://" + n.addr + "/healthz")
	for _, e := range entries {
		n.awaitReady(e["model_id"].(string))
	}
	return n
}

// awaitReady waits until a model takes jobs.
func (n *node) awaitReady(id string) {
	n.t.Helper()
	n.Wait(id+" to be ready", 60*time.Second, func() bool { return n.state(id) == "ready" })
}

// startOrchestrator starts one whose models are on other machines.
func startOrchestrator(t *testing.T, entries []entry, args ...string) *node {
	t.Helper()
	n := newNode(t, nil, entries)
	n.run(append([]string{"-orchestrator", "-serviceAddr", n.addr, "-httpAddr", n.addr}, args...)...)
	n.WaitHTTP("https://" + n.addr + "/healthz")
	return n
}

// startWorker starts an AI worker of an orchestrator.
func startWorker(t *testing.T, orchestrator string, entries []entry, args ...string) {
	t.Helper()
	n := newNode(t, nil, entries)
	n.run(append([]string{"-aiWorker", "-orchAddr", orchestrator}, args...)...)
}

// newNode is a node that does not run yet.
func newNode(t *testing.T, e *engine.Engine, entries []entry) *node {
	t.Helper()
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, e: e, addr: harness.Address(t), admin: harness.Address(t), models: t.TempDir()}
	for name, content := range map[string]string{"weights": "good weights", "aiModels.json": string(text)} {
		if err := os.WriteFile(filepath.Join(n.models, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func (n *node) run(args ...string) {
	n.t.Helper()
	var env []string
	if n.e != nil {
		env = []string{"DOCKER_HOST=" + n.e.Host}
	}
	n.Process = harness.StartIn(n.t, binary, env, append([]string{
		"-aiModels", filepath.Join(n.models, "aiModels.json"), "-aiAllowUnverified",
		"-aiModelsDir", n.models, "-aiRunnerContainersPerGPU", "8", "-cliAddr", n.admin, "-dataDir", n.t.TempDir(),
	}, args...)...)
}

// state is a model's on /status.
func (n *node) state(id string) string {
	n.t.Helper()
	_, body := harness.Get(n.t, "https://"+n.addr+"/status")
	var status struct {
		Models []struct{ Model, State string }
	}
	if err := json.Unmarshal(body, &status); err != nil {
		n.t.Fatal(err)
	}
	for _, m := range status.Models {
		if m.Model == id {
			return m.State
		}
	}
	return ""
}

// container is the one of a model, as the engine has it.
func (n *node) container(model string) container.InspectResponse {
	n.t.Helper()
	list, err := n.e.API.ContainerList(n.t.Context(), client.ContainerListOptions{
		Filters: make(client.Filters).Add("label", "creator=ai-worker"),
	})
	if err != nil {
		n.t.Fatal(err)
	}
	for _, c := range list.Items {
		if c.Labels["model"] != model || c.Labels["creator_id"] != "https://"+n.addr &&
			c.Labels["creator_id"] != n.addr {
			continue
		}
		one, err := n.e.API.ContainerInspect(n.t.Context(), c.ID, client.ContainerInspectOptions{})
		if err != nil {
			n.t.Fatal(err)
		}
		return one.Container
	}
	n.t.Fatalf("no container of %s at %s", model, n.addr)
	return container.InspectResponse{}
}

// address is where a container is reached from the machine.
func address(c container.InspectResponse) string {
	for _, bound := range c.HostConfig.PortBindings {
		for _, at := range bound {
			return "127.0.0.1:" + at.HostPort
		}
	}
	return inside(c)
}

// inside is where a container is reached in its own network.
func inside(c container.InspectResponse) string {
	for _, at := range c.NetworkSettings.Networks {
		return at.IPAddress.String() + ":8000"
	}
	return ""
}

// gateway is the machine in the container's own network.
func gateway(c container.InspectResponse) string {
	for _, at := range c.NetworkSettings.Networks {
		if at.Gateway.IsValid() {
			return at.Gateway.String()
		}
		return at.IPAddress.Prev().String() // networks without a way out show none; it is the first address
	}
	return ""
}

// outcome is what the hostile model server says came of an attempt.
type outcome struct {
	Done        bool
	Error, Text string
}

// attempt has a model's server attack.
func (n *node) attempt(model, what, target string) outcome {
	n.t.Helper()
	return n.attemptAt(address(n.container(model)), what, target)
}

// attemptAt is attempt at a known address.
func (n *node) attemptAt(at, what, target string) outcome {
	n.t.Helper()
	o, err := tryAt(at, what, target)
	if err != nil {
		n.t.Errorf("%s %s: %v", what, target, err)
	}
	return o
}

// tryAt has the model's server at an address attack. The error is that it gave no
// answer.
func tryAt(at, what, target string) (o outcome, err error) {
	q := url.Values{"what": {what}, "target": {target}}
	resp, err := harness.Client().Post("http://"+at+"/__try?"+q.Encode(), "", http.NoBody)
	if err != nil {
		return o, err
	}
	defer resp.Body.Close()
	return o, json.NewDecoder(resp.Body).Decode(&o)
}

// fails checks that an attempt does not work.
func (n *node) fails(model, what, target string) {
	n.t.Helper()
	if o := n.attempt(model, what, target); o.Done {
		n.t.Errorf("%s %s worked: %+v", what, target, o)
	}
}

// allFail checks that an attempt works on no target, at all of them at once.
func (n *node) allFail(model, what string, targets ...string) {
	n.t.Helper()
	outcomes := make([]outcome, len(targets))
	var wg sync.WaitGroup
	at := address(n.container(model))
	for i, target := range targets {
		wg.Go(func() { outcomes[i] = n.attemptAt(at, what, target) })
	}
	wg.Wait()
	for i, o := range outcomes {
		if o.Done {
			n.t.Errorf("%s %s worked: %+v", what, targets[i], o)
		}
	}
}
