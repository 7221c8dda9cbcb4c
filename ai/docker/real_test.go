package docker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/test/engine"
)

// patience is far more than anything here takes.
const patience = time.Minute

func cancelable(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// bench is the code under test at a real engine, with the fake runner's image.
type bench struct {
	*docker.Engine
	real  *engine.Engine
	image string
	t     *testing.T
	ports *docker.Ports
}

// open has an owner of its own for each test: they share the engine.
func open(t *testing.T) *bench {
	t.Helper()
	real := engine.Start(t)
	return openAt(t, real, real.Host, t.Name())
}

func openAt(t *testing.T, real *engine.Engine, host, owner string) *bench {
	t.Helper()
	e, err := docker.Open(docker.Options{Host: host, Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Engine: e, real: real, image: real.RunnerImage(t), t: t, ports: docker.NewPorts(nil)}
	t.Cleanup(func() {
		// The test's context has ended.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		// It leaves alone what it made itself; a later run does not.
		later, err := docker.Open(docker.Options{Host: host, Owner: owner})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := later.Reconcile(ctx); err != nil && !strings.Contains(err.Error(), "DockerMissing") {
			t.Error(err)
		}
		if err := errors.Join(e.Close(), later.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// port is one that is free on the machine; tests of other packages look for
// some too.
func port(t *testing.T) uint16 {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// spec is a container of the fake runner, whose port is published on this machine.
func (b *bench) spec(env ...string) *docker.Spec {
	b.t.Helper()
	p := port(b.t)
	model := strings.ReplaceAll(b.t.Name(), "/", "_")
	return &docker.Spec{
		Name: docker.Name("llm", model, p), Image: b.image, Pipeline: "llm", Model: "own/model", HostPort: p, Env: env,
		Permissions: docker.Permissions{Network: true},
	}
}

func (b *bench) create(s *docker.Spec) docker.ID {
	b.t.Helper()
	made, err := b.Create(b.t.Context(), s)
	if err != nil {
		b.t.Fatal(err)
	}
	return made.ID
}

func (b *bench) run(s *docker.Spec) docker.ID {
	b.t.Helper()
	id := b.create(s)
	if err := b.Start(b.t.Context(), id); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) inspect(id docker.ID) docker.Status {
	b.t.Helper()
	s, err := b.Inspect(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// await waits until ready has nothing to say against it.
func await(t *testing.T, what string, ready func() bool) {
	t.Helper()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	limit := time.After(patience)
	for !ready() {
		select {
		case <-ticks.C:
		case <-limit:
			t.Fatal("waited in vain until", what)
		}
	}
}

func (b *bench) awaitEnd(id docker.ID) docker.Status {
	b.t.Helper()
	await(b.t, "the container has ended", func() bool { s := b.inspect(id); return s.Ended() })
	return b.inspect(id)
}

// get asks the runner, and is empty while it does not answer.
func get(t *testing.T, port uint16, path string) string {
	t.Helper()
	return ask(t, http.MethodGet, port, path, "")
}

func ask(t *testing.T, method string, port uint16, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path),
		bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func (b *bench) awaitHealth(s *docker.Spec) {
	b.t.Helper()
	await(b.t, "the runner is well", func() bool { return strings.Contains(get(b.t, s.HostPort, "/health"), `"OK"`) })
}
