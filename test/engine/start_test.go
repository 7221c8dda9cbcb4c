package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/test/engine"
)

func TestAnEngineAnswers(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	v, err := e.API.ServerVersion(t.Context(), client.ServerVersionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("Docker Engine %s, API %s, private %v, at %s", v.Version, v.APIVersion, e.Private, e.Host)
	if again := engine.Start(t); again != e {
		t.Error("a second test got another engine")
	}
}

// holdVariable makes this program hold an engine until it is killed.
const holdVariable = "TUTTI_TEST_HOLD_ENGINE"

func holdEngine() {
	e, err := engine.Open()
	if err != nil {
		fmt.Println("none:", err)
		os.Exit(1)
	}
	if err := runOne(e); err != nil {
		fmt.Println("no container:", err)
		os.Exit(1)
	}
	fmt.Println(e.Host)
	select {}
}

// runOne has a container run, which holds mounts, a link and a published port.
func runOne(e *engine.Engine) error {
	image, err := e.MakeRunner()
	if err != nil {
		return err
	}
	ctx := context.Background()
	inside := network.MustParsePort("8000/tcp")
	made, err := e.API.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: &container.Config{Image: image, ExposedPorts: network.PortSet{inside: {}}},
		HostConfig: &container.HostConfig{PortBindings: network.PortMap{
			inside: {{HostIP: netip.MustParseAddr("127.0.0.1")}}}},
	})
	if err != nil {
		return err
	}
	_, err = e.API.ContainerStart(ctx, made.ID, client.ContainerStartOptions{})
	return err
}

// A killed test process must leave no process, mount, interface or directory.
func TestNothingIsLeftOfAKilledProcess(t *testing.T) {
	t.Parallel()
	if !engine.Start(t).Private {
		t.Skip("needs an engine of its own")
	}
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), holdVariable+"=1", "DOCKER_HOST=")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir, private := strings.CutPrefix(strings.TrimSpace(line), "unix://")
	if err != nil || !private {
		_ = child.Process.Kill()
		_ = child.Wait()
		t.Fatalf("the child has no engine: %q, %v", line, err)
	}
	dir = filepath.Dir(dir)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	bridge := "tuttitest" + strings.TrimPrefix(filepath.Base(dir), "tutti-engine-")
	await(t, func() string {
		if _, err := os.Stat(dir); err == nil {
			return dir + " is still there"
		}
		if _, err := net.InterfaceByName(bridge); err == nil {
			return bridge + " is still there"
		}
		return processes(t, dir)
	})
}

// processes names one whose command line holds word.
func processes(t *testing.T, word string) string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), word) {
			return strings.ReplaceAll(string(b), "\x00", " ") + " still runs"
		}
	}
	return ""
}

func await(t *testing.T, wrong func() string) {
	t.Helper()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	limit := time.After(time.Minute)
	for {
		what := wrong()
		if what == "" {
			return
		}
		select {
		case <-ticks.C:
		case <-limit:
			t.Fatal(what)
		}
	}
}
