package manager_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	moby "github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/engine"
)

// patience is far more than anything here takes.
const patience = time.Minute

// node is a manager at a real engine.
type node struct {
	t     *testing.T
	real  *engine.Engine
	m     *manager.Manager
	board *health.Board
	*diary
	owner string
}

// start runs a manager with these entries until the test ends; then no container
// may be left.
func start(t *testing.T, entries ...manager.Entry) *node {
	t.Helper()
	n := &node{t: t, real: engine.Start(t), diary: &diary{states: map[string][]string{}}, owner: t.Name()}
	image := n.real.RunnerImage(t)
	e, err := docker.Open(docker.Options{Host: n.real.Host, Owner: n.owner})
	if err != nil {
		t.Fatal(err)
	}
	n.board = health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	n.m = manager.New(manager.Options{
		Engine: e, Entries: entries, ContainersPerGPU: len(entries), Recorder: n.diary, Board: n.board,
		Images: manager.Images(docker.Images{Batch: map[string]string{"llm": image}}),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- n.m.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if left := n.containers(context.WithoutCancel(t.Context())); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// containers are the node's at the engine: their ids by model.
func (n *node) containers(ctx context.Context) map[string]string {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := n.real.API.ContainerList(ctx, moby.ContainerListOptions{All: true,
		Filters: make(moby.Filters).Add("label", "creator_id="+n.owner)})
	if err != nil {
		n.t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range list.Items {
		out[c.Labels["model"]] = c.ID
	}
	return out
}

// until waits for a model's state to be as wanted.
func (n *node) until(model string, what string, ok func(*inference.ModelState) bool) {
	n.t.Helper()
	deadline, tick := time.NewTimer(patience), time.NewTicker(10*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for {
		for _, s := range n.m.Models() {
			if s.Model.ID == model && ok(&s) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			n.t.Fatalf("%s is not %s: %+v", model, what, n.m.Models())
		}
	}
}

func ready(s *inference.ModelState) bool { return s.State == inference.Ready }

// chat runs a job and returns its answer.
func (n *node) chat(model string) (string, error) {
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	slot, err := n.m.Reserve(ctx, llm(model), "party")
	if err != nil {
		return "", err
	}
	defer slot.Release()
	reply, err := slot.Run(ctx, &inference.Job{
		Model: llm(model), Operation: inference.Chat, ContentType: "application/json", MaxTokens: 3,
		Body: []byte(`{"model":"` + model + `","messages":[{"role":"user","content":"hi"}],"max_tokens":3}`),
	})
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(reply.Body)
	if err == nil && reply.Status != 200 {
		err = fmt.Errorf("status %d: %s", reply.Status, b)
	}
	return string(b), err
}

func (n *node) works(model string) {
	n.t.Helper()
	if text, err := n.chat(model); err != nil || !strings.Contains(text, "choices") {
		n.t.Errorf("%s: %q, %v", model, text, err)
	}
}

// server is the fake runner as a process that the manager did not start.
func server(t *testing.T, model string) (url string) {
	t.Helper()
	program, err := engine.Build(t.TempDir(), "runner")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	cmd := exec.Command(program)
	cmd.Env = []string{"PORT=" + port, "PIPELINE=llm", "MODEL_ID=" + model}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return "http://127.0.0.1:" + port
}

func fake(env ...string) models.Settings {
	var out models.Settings
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		out = append(out, models.NewSetting(name, value))
	}
	return out
}

// TestOneKilledContainer: only its own model notices, and it comes back.
func TestOneKilledContainer(t *testing.T) {
	t.Parallel()
	n := start(t,
		manager.Entry{Model: llm("one"), Warm: true, Env: fake("FAKE_LOAD=200ms")},
		manager.Entry{Model: llm("two"), Warm: true, Env: fake("FAKE_LISTEN_AFTER=200ms")},
		manager.Entry{Model: llm("outside"), URL: server(t, "outside"), Warm: true},
	)
	for _, m := range []string{"one", "two", "outside"} {
		n.until(m, "ready", ready)
		n.works(m)
	}
	before := n.containers(t.Context())
	if len(before) != 2 {
		t.Fatalf("containers %v", before)
	}
	if _, err := n.real.API.ContainerKill(t.Context(), before["one"],
		moby.ContainerKillOptions{Signal: "KILL"}); err != nil {
		t.Fatal(err)
	}
	n.until("one", "failed", func(s *inference.ModelState) bool {
		return s.State == inference.Failed && strings.Contains(s.Reason, "137") && len(s.LastLines) > 0
	})
	n.works("two")
	n.works("outside")
	n.until("one", "ready again", ready)
	n.works("one")
	after := n.containers(t.Context())
	if after["one"] == before["one"] || after["two"] != before["two"] || len(after) != 2 {
		t.Errorf("containers %v, then %v", before, after)
	}
	for _, m := range []string{"two", "outside"} {
		if got := n.of(m); strings.Count(got, "ready") != 1 || strings.Contains(got, "failed ready failed") {
			t.Errorf("%s went through %s", m, got)
		}
	}
	if !n.board.Healthy() {
		t.Errorf("%+v", n.board.Snapshot())
	}
}

// TestAStoppedContainer: it takes connections and never answers, as after SIGSTOP.
func TestAStoppedContainer(t *testing.T) {
	t.Parallel()
	n := start(t, manager.Entry{Model: llm("one"), Warm: true})
	n.until("one", "ready", ready)
	id := n.containers(t.Context())["one"]
	if _, err := n.real.API.ContainerPause(t.Context(), id, moby.ContainerPauseOptions{}); err != nil {
		t.Fatal(err)
	}
	n.until("one", "failed", func(s *inference.ModelState) bool { return s.State == inference.Failed })
	n.until("one", "ready again", ready)
	if again := n.containers(t.Context())["one"]; again == id {
		t.Error("the same container")
	}
	n.works("one")
}

// TestAColdContainer: made for the first job; one that cannot run says why.
func TestAColdContainer(t *testing.T) {
	t.Parallel()
	n := start(t,
		manager.Entry{Model: llm("good"), Env: fake("FAKE_LISTEN_AFTER=300ms")},
		manager.Entry{Model: llm("bad"), Env: fake("FAKE_EXIT=3", "FAKE_SAY=torch.OutOfMemoryError: CUDA out of memory")},
	)
	begun := time.Now()
	n.works("good")
	t.Logf("first answer after %v, of which the runner took 300ms to listen", time.Since(begun).Round(time.Millisecond))
	_, err := n.chat("bad")
	if err == nil || !strings.Contains(err.Error(), "ContainerOOM") {
		t.Errorf("got %v", err)
	}
	n.works("good")
}
