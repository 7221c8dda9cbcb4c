package docker_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

func TestLifeOfAContainer(t *testing.T) {
	t.Parallel()
	b := open(t)
	v, err := b.Ping(t.Context())
	if err != nil || v.Engine == "" || v.API == "" || v.Arch == "" {
		t.Fatalf("%+v, %v", v, err)
	}
	models := t.TempDir()
	if err := os.WriteFile(filepath.Join(models, "weights"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := b.spec("FAKE_LOAD=10ms", "MAX_MODEL_LEN=77")
	s.ModelsDir, s.ShmBytes = models, 128<<20
	id := b.create(s)
	if got := b.inspect(id); got.State != "created" || got.Running || got.Name != s.Name || got.Image != b.image ||
		!got.Started.IsZero() || got.Ended() {
		t.Errorf("created: %+v", got)
	}
	for range 2 {
		if err := b.Start(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	b.awaitHealth(s)
	if got := b.inspect(id); !got.Running || got.Started.IsZero() || !got.Finished.IsZero() || got.Ended() {
		t.Errorf("running: %+v", got)
	}
	if got := get(t, s.HostPort, "/version"); !strings.Contains(got, `"model_id":"own/model"`) ||
		!strings.Contains(got, `"pipeline":"llm"`) {
		t.Error(got)
	}
	b.checkMade(id, s)
	// The engine passes a running container's words on in its own time.
	await(t, "its words are there", func() bool {
		lines, err := b.LastLines(t.Context(), id, 5)
		return err == nil && slices.Equal(lines, []string{"fake runner of llm own/model"})
	})
	for range 2 {
		if err := b.Stop(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.inspect(id); !got.Ended() || got.ExitCode != 0 || got.Finished.IsZero() || got.OOMKilled {
		t.Errorf("stopped: %+v", got)
	}
	for range 2 {
		if err := b.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Inspect(t.Context(), id); !errors.Is(err, fault.ContainerGone) {
		t.Error(err)
	}
	if err := b.Stop(t.Context(), id); err != nil {
		t.Error(err)
	}
	if err := b.Start(t.Context(), id); !errors.Is(err, fault.ContainerGone) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(models, "weights")); err != nil {
		t.Error("the models went with the container:", err)
	}
}

// checkMade looks at what the engine made of a spec.
func (b *bench) checkMade(id docker.ID, s *docker.Spec) {
	b.t.Helper()
	got, err := b.real.API.ContainerInspect(b.t.Context(), string(id), client.ContainerInspectOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	c, h := got.Container.Config, got.Container.HostConfig
	for name, want := range map[string]string{"creator": "ai-worker", "creator_id": b.t.Name(), "pipeline": "llm",
		"model": "own/model"} {
		if c.Labels[name] != want {
			b.t.Errorf("label %s is %q, want %q", name, c.Labels[name], want)
		}
	}
	for _, want := range []string{"PIPELINE=llm", "MODEL_ID=own/model", "MAX_MODEL_LEN=77"} {
		if !slices.Contains(c.Env, want) {
			b.t.Errorf("%s is not in %q", want, c.Env)
		}
	}
	for port, bound := range h.PortBindings {
		if port.String() != "8000/tcp" || len(bound) != 1 || bound[0].HostIP.String() != "127.0.0.1" {
			b.t.Errorf("%s is bound to %v", port, bound)
		}
	}
	if m := got.Container.Mounts; len(m) != 1 || m[0].Source != s.ModelsDir || m[0].Destination != "/models" ||
		m[0].RW {
		b.t.Errorf("mounts %+v", m)
	}
	if h.ShmSize != s.ShmBytes || !h.RestartPolicy.IsNone() || len(h.DeviceRequests) != 0 ||
		h.LogConfig.Config["max-size"] == "" {
		b.t.Errorf("shm %d, restart %+v, devices %+v, log %+v", h.ShmSize, h.RestartPolicy, h.DeviceRequests, h.LogConfig)
	}
}

// A runner that does not listen to SIGTERM is killed after the grace.
func TestStopKillsTheDeaf(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.spec("FAKE_DEAF=1")
	id := b.run(s)
	b.awaitHealth(s)
	if err := b.Stop(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	got := b.inspect(id)
	if !got.Ended() || got.ExitCode != 137 || got.OOMKilled {
		t.Errorf("%+v", got)
	}
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	before, ours := open(t), open(t)
	if !ours.real.Private {
		t.Skip("others' containers without creator_id may be on this engine")
	}
	theirs := openAt(t, ours.real, ours.real.Host, t.Name()+" of another node")
	running := before.spec()
	created := before.spec()
	before.run(running)
	before.create(created)
	kept := theirs.run(theirs.spec())
	unmarked := ours.raw("unmarked", map[string]string{"creator": "ai-worker"})
	stranger := ours.raw("stranger", map[string]string{"creator_id": t.Name()})

	removed, err := ours.Reconcile(t.Context())
	want := []string{running.Name, created.Name, "unmarked"}
	slices.Sort(want)
	if err != nil || !slices.Equal(removed, want) {
		t.Fatalf("removed %q, %v, want %q", removed, err, want)
	}
	if got := theirs.inspect(kept); !got.Running {
		t.Errorf("another node's container: %+v", got)
	}
	if _, err := ours.Inspect(t.Context(), unmarked); !errors.Is(err, fault.ContainerGone) {
		t.Error(err)
	}
	if _, err := ours.Inspect(t.Context(), stranger); err != nil {
		t.Error("what no AI worker made was removed:", err)
	}
	_ = ours.Remove(t.Context(), stranger)
	if removed, err := ours.Reconcile(t.Context()); err != nil || len(removed) != 0 {
		t.Errorf("again: %q, %v", removed, err)
	}
}

// raw makes a container that the code under test did not.
func (b *bench) raw(name string, labels map[string]string) docker.ID {
	b.t.Helper()
	made, err := b.real.API.ContainerCreate(b.t.Context(),
		client.ContainerCreateOptions{Name: name, Image: b.image, Config: withLabels(labels)})
	if err != nil {
		b.t.Fatal(err)
	}
	return docker.ID(made.ID)
}
