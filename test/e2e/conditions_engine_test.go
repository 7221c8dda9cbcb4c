package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	types "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// one is a whole answer of one word.
func one(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",`+
		`"content":"word"}}],"usage":{"completion_tokens":1}}`)
}

// TestToolkitMissing hands a GPU to containers of an engine that knows none.
// Models elsewhere go on; a client of a cold one is told soon.
func TestToolkitMissing(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	if out, err := exec.Command("nvidia-smi").CombinedOutput(); err == nil {
		t.Skipf("SKIPPED, this machine has a GPU: %s", out)
	}
	server := canned(t, one)
	cold := managed(e, t, "test/cold-gpu", nil)
	cold["warm"] = false
	n := startNode(t, setup{engine: e, args: []string{"-aiAllowUnverified", "-gpu", "0", "-aiRunnerContainersPerGPU", "2"},
		entries: []entry{managed(e, t, "test/gpu", nil), cold, llmEntry(cannedModel, server.URL)}})
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")
	n.fails("llm", "test/gpu", fault.GPUToolkitMissing)
	_, gw := gateway(t, n.orch)
	mustAsk(t, gw+"/llm", "", chatRequest(cannedModel, 3, false))
	a, err := ask(t.Context(), gw+"/llm", "", chatRequest("test/cold-gpu", 3, false))
	if err != nil || a.Status != http.StatusServiceUnavailable || a.Error == "" || a.Header.Get("Retry-After") == "" {
		t.Errorf("a client of a cold model: %v, %+v", err, a)
	}
	n.fails("llm", "test/cold-gpu", fault.GPUToolkitMissing)
	mustAsk(t, gw+"/llm", "", chatRequest(cannedModel, 3, false))
	explained(t, fault.GPUToolkitMissing)
}

// TestDockerMissing starts a node where no engine answers yet. Servers behind a url
// need none; containers start once it is there.
func TestDockerMissing(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	real, isUnix := strings.CutPrefix(e.Host, "unix://")
	if !isUnix {
		t.Skip("SKIPPED, the engine has no socket to be put elsewhere: " + e.Host)
	}
	socket := filepath.Join(t.TempDir(), "docker.sock")
	server := canned(t, one)
	n := startNode(t, setup{engine: e, env: []string{"DOCKER_HOST=unix://" + socket}, args: []string{"-aiAllowUnverified"},
		entries: []entry{managed(e, t, "test/later", nil), llmEntry(cannedModel, server.URL)}})
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")
	n.fails("llm", "test/later", fault.DockerMissing)
	_, gw := gateway(t, n.orch)
	mustAsk(t, gw+"/llm", "", chatRequest(cannedModel, 3, false))
	n.Wait("a second attempt", 20*time.Second, func() bool {
		return strings.Count(n.Log(),
			"model=test/later state=failed") > 1
	})
	n.warnedOnce(fault.DockerMissing, `about="llm test/later"`)
	if events := n.warnings("lost the Docker Engine's events"); len(events) > 1 {
		t.Errorf("the log repeats itself: %q", events)
	}
	if err := os.Symlink(real, socket); err != nil {
		t.Fatal(err)
	}
	awaitModel(t, n.Process, n.orch, "test/later", "ready")
	n.cleared()
	explained(t, fault.DockerMissing)
}

// TestDockerForbidden runs the node as a user that may not use the engine.
func TestDockerForbidden(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || os.Geteuid() != 0 || !e.Private {
		t.Skip("SKIPPED, needs root, setpriv and an engine of its own")
	}
	// Places that the other user can reach.
	dir, err := os.MkdirTemp("", "tutti-forbidden-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	const unprivilegedUID = 65534
	for _, err := range []error{os.Chmod(dir, 0o755), os.Chown(data, unprivilegedUID, unprivilegedUID),
		os.Link(binary, filepath.Join(dir, "tutti"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	models := `[{"pipeline":"llm","model_id":"test/forbidden","warm":true,"image":"` + e.RunnerImage(t) + `"}]`
	n := &aiNode{t: t, orch: harness.Address(t), admin: harness.Address(t)}
	n.Process = harness.StartIn(t, setpriv, []string{"DOCKER_HOST=" + e.Host, "HOME=" + data},
		"--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL",
		filepath.Join(dir, "tutti"), "-orchestrator", "-aiWorker", "-aiModels", models, "-aiAllowUnverified",
		"-serviceAddr", n.orch, "-httpAddr", n.orch, "-cliAddr", n.admin, "-dataDir", data)
	n.WaitHTTP("https://" + n.orch + "/healthz")
	n.WaitHTTP("http://" + n.admin + "/healthz")
	n.fails("llm", "test/forbidden", fault.DockerForbidden)
	explained(t, fault.DockerForbidden)
}

// published gives a model's container a network with a way out, and so a port of this
// machine; others are reached at their own address.
func published(e entry) entry {
	e["network"] = true
	return e
}

// port is where a published container is reached on this machine.
func port(t *testing.T, e *engine.Engine, id string) string {
	t.Helper()
	one, err := e.API.ContainerInspect(t.Context(), id, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bindings := range one.Container.HostConfig.PortBindings {
		for _, b := range bindings {
			return b.HostPort
		}
	}
	t.Fatalf("%s has no port", id)
	return ""
}

// TestKilledForMemory has the kernel kill a runner for want of memory. Another does
// not notice, and it is back by itself.
func TestKilledForMemory(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	e.NeedMemoryLimits(t)
	const hungry, other = "test/hungry", "test/modest"
	n := startNode(t, setup{engine: e, args: []string{"-aiAllowUnverified", "-aiRunnerContainersPerGPU", "2"},
		entries: []entry{published(managed(e, t, hungry, nil)), managed(e, t, other, nil)}})
	awaitModel(t, n.Process, n.orch, hungry, "ready")
	awaitModel(t, n.Process, n.orch, other, "ready")
	_, gw := gateway(t, n.orch)
	others := watch(t, gw, []string{other})
	c := starve(t, e, n, hungry)
	// The engine may miss the reason of an end, and then it is unknown.
	for attempts := 1; c.Code != string(fault.ContainerOOM) && attempts < 5; attempts++ {
		n.cleared()
		awaitModel(t, n.Process, n.orch, hungry, "ready")
		c = starve(t, e, n, hungry)
	}
	c.matches(t, fault.ContainerOOM)
	if !strings.Contains(c.Detail, "main memory") {
		t.Errorf("the detail does not say which memory: %s", c.Detail)
	}
	awaitModel(t, n.Process, n.orch, hungry, "ready")
	n.cleared()
	if err := others(); err != nil {
		t.Error(err)
	}
	mustAsk(t, gw+"/llm", "", chatRequest(hungry, 3, false))
	n.warnedOnce(fault.ContainerOOM)
	explained(t, fault.ContainerOOM)
}

// starve has the kernel kill the runner of a model without a condition, and returns the
// condition that follows.
func starve(t *testing.T, e *engine.Engine, n *aiNode, id string) condition {
	t.Helper()
	victim, _ := container(t, e, n.orch, id)
	const limit = 64 << 20
	if _, err := e.API.ContainerUpdate(t.Context(), victim,
		client.ContainerUpdateOptions{Resources: &types.Resources{Memory: limit, MemorySwap: limit}}); err != nil {
		t.Fatal(err)
	}
	res, err := http.Post("http://127.0.0.1:"+port(t, e, victim)+"/__eat", "text/plain", strings.NewReader("512"))
	if err == nil {
		t.Errorf("it took the memory and lives: %s", readAll(t, res))
	}
	var end condition
	n.Wait("the end of "+id, time.Minute, func() bool {
		for _, c := range n.conditions() {
			if c.About == "llm "+id {
				end = c
			}
		}
		return end.Code != ""
	})
	return end
}

// TestPortTaken has other programs on the ports that containers would get: one
// that listens, and a container of another program whose listener has died, which
// only the engine knows of. The containers get other ports.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	e.RunnerImage(t)
	const speech, upscale = "8800", "8300"
	takePort(t, speech)
	created := e.API.Events(t.Context(), client.EventsListOptions{
		Filters: make(client.Filters).Add("type", "container").Add("event", "create").Add("label", "model=test/upscale"),
	})
	conflict := holdPort(t, e, upscale)
	wants := func(pipeline, id string) entry {
		return published(entry{"pipeline": pipeline, "model_id": id, "warm": true, "image": e.RunnerImage(t)})
	}
	n := startNode(t, setup{engine: e, args: []string{"-aiAllowUnverified", "-aiRunnerContainersPerGPU", "2"},
		entries: []entry{wants("text-to-speech", "test/speech"), wants("upscale", "test/upscale")}})
	for model, not := range map[string]string{"test/speech": speech, "test/upscale": upscale} {
		awaitModel(t, n.Process, n.orch, model, "ready")
		id, _ := container(t, e, n.orch, model)
		if got := port(t, e, id); got == not {
			t.Errorf("%s got port %s, which is taken", model, got)
		}
	}
	n.cleared()
	// The one that the engine refused, and the one that runs.
	for range 2 {
		if !conflict {
			break
		}
		select {
		case <-created.Messages:
		case <-time.After(30 * time.Second):
			t.Error("there was no conflict, so nothing was tested of it")
		}
	}
	if lines := n.warnings("code="); len(lines) > 0 {
		t.Errorf("no action is needed, but: %q", lines)
	}
}

// takePort listens on a port, unless something does so already.
func takePort(t *testing.T, port string) {
	t.Helper()
	if l, err := net.Listen("tcp4", "127.0.0.1:"+port); err == nil {
		t.Cleanup(func() { l.Close() })
	}
}

// holdPort has a container of another owner hold a port, and nothing listen there;
// false when that cannot be had.
func holdPort(t *testing.T, e *engine.Engine, port string) bool {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	inside := network.MustParsePort("8000/tcp")
	made, err := e.API.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: &types.Config{Image: e.RunnerImage(t), ExposedPorts: network.PortSet{inside: {}}},
		HostConfig: &types.HostConfig{PortBindings: network.PortMap{inside: {{
			HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: port,
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = e.API.ContainerRemove(ctx, made.ID, client.ContainerRemoveOptions{Force: true})
	})
	if _, err := e.API.ContainerStart(ctx, made.ID, client.ContainerStartOptions{}); err != nil {
		t.Logf("the port is taken by something else: %v", err)
		return false
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		args, _ := os.ReadFile(f)
		if words := strings.Split(string(args), "\x00"); !strings.HasSuffix(words[0], "docker-proxy") ||
			!slices.Contains(words, port) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		return e.Private
	}
	t.Logf("nothing of the engine listens on %s", port)
	return false
}

// TestStrays kills a node, which leaves its container behind. The next run of the
// same node removes it, and leaves those of other nodes alone.
func TestStrays(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	const id = "test/stray"
	first := startNode(t, setup{engine: e, args: []string{"-aiAllowUnverified"}, entries: []entry{managed(e, t, id, nil)}})
	neighbor := startNode(t, setup{engine: e, args: []string{"-aiAllowUnverified"},
		entries: []entry{managed(e, t, id, nil)}})
	awaitModel(t, first.Process, first.orch, id, "ready")
	awaitModel(t, neighbor.Process, neighbor.orch, id, "ready")
	left, _ := container(t, e, first.orch, id)
	theirs, _ := container(t, e, neighbor.orch, id)
	first.Signal(syscall.SIGKILL)
	first.Exit(10 * time.Second)
	if still, _ := container(t, e, first.orch, id); still != left || left == "" {
		t.Fatalf("the killed node left %q, not %q", still, left)
	}
	second := startNode(t, setup{engine: e, orch: first.orch, args: []string{"-aiAllowUnverified"},
		entries: []entry{managed(e, t, id, nil)}})
	awaitModel(t, second.Process, second.orch, id, "ready")
	if now, _ := container(t, e, second.orch, id); now == left || now == "" {
		t.Errorf("the container of the first run is still there: %q", now)
	}
	if _, err := e.API.ContainerInspect(t.Context(), left, client.ContainerInspectOptions{}); err == nil {
		t.Error("the stray was not removed")
	}
	if same, _ := container(t, e, neighbor.orch, id); same != theirs {
		t.Errorf("the neighbor's container was %s and is %s", theirs, same)
	}
	if m := model(t, neighbor.orch, id); m.State != "ready" {
		t.Errorf("the neighbor: %+v", m)
	}
}
