package packages

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// tag is what the image is called once it is loaded.
const tag = "tutti:1.2.3-test"

// A container that may nothing (no capability, no writing but its state, the engine's
// ordinary filter of system calls) takes a segment and gives its renditions.
func TestImageTranscodes(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	load(t, e)
	node, gateway := harness.Address(t), harness.Address(t)
	id := start(t, e, "-orchestrator", "-transcoder", "-gateway", "-serviceAddr", node, "-gatewayAddr", gateway,
		"-cliAddr", harness.Address(t), "-v", "4")
	waitServing(t, e, id, "http://"+gateway+"/")
	renditions, err := harness.Push("http://"+gateway, "film", "0.ts", clip(t), 2*time.Second)
	if err != nil || len(renditions) != 2 {
		t.Fatalf("%d renditions, %v\n%s", len(renditions), err, logs(t, e, id))
	}
	// The node reports which restrictions the engine does not allow, with a remedy.
	said := logs(t, e, id)
	if strings.Contains(said, "namespace: not permitted") && !strings.Contains(said, "remedy") {
		t.Errorf("restrictions are missing without a remedy:\n%s", said)
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "not permitted") {
			t.Log(line)
		}
	}
}

func load(t *testing.T, e *engine.Engine) {
	t.Helper()
	f, err := os.Open(pack(t, "-image.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	answer, err := e.API.ImageLoad(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	said, err := io.ReadAll(answer)
	if err != nil || !strings.Contains(string(said), tag) {
		t.Fatalf("load: %v: %s", err, said)
	}
}

func start(t *testing.T, e *engine.Engine, args ...string) string {
	t.Helper()
	made, err := e.API.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Config: &container.Config{Image: tag, Cmd: args},
		HostConfig: &container.HostConfig{NetworkMode: "host", ReadonlyRootfs: true, CapDrop: []string{"ALL"},
			SecurityOpt: []string{"no-new-privileges:true"}, Tmpfs: map[string]string{"/tmp": ""}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = e.API.ContainerRemove(context.WithoutCancel(t.Context()), made.ID,
			client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	})
	if _, err := e.API.ContainerStart(t.Context(), made.ID, client.ContainerStartOptions{}); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

func waitServing(t *testing.T, e *engine.Engine, id, url string) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if answer, err := http.Get(url); err == nil {
			answer.Body.Close()
			return
		}
		select {
		case <-deadline.C:
			t.Fatalf("nothing at %s\n%s", url, logs(t, e, id))
		case <-tick.C:
		}
	}
}

func logs(t *testing.T, e *engine.Engine, id string) string {
	t.Helper()
	answer, err := e.API.ContainerLogs(t.Context(), id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		return err.Error()
	}
	defer answer.Close()
	text, err := io.ReadAll(answer)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// clip is two seconds of a moving test pattern.
func clip(t *testing.T) []byte {
	t.Helper()
	out, err := exec.Command(os.Getenv("TUTTI_DEPS")+"/bin/ffmpeg", "-loglevel", "error",
		"-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=2", "-f", "lavfi", "-i", "sine=duration=2",
		"-c:v", "libx264", "-c:a", "aac", "-f", "mpegts", "pipe:1").Output()
	if err != nil {
		t.Fatalf("make a clip: %v", err)
	}
	return out
}
