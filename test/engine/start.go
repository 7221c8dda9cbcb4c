package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// Engine is a Docker Engine for tests.
type Engine struct {
	// Host is its address, for DOCKER_HOST.
	Host string
	// Private says that no one but this test process uses it, so that a test may
	// remove containers and images that it has not made.
	Private bool
	// API is a client of it that knows nothing of the code under test.
	API *client.Client

	process *os.Process
	hold    *os.File
}

// shared is the process's engine: starting one takes seconds, so all tests of a
// package have the same.
var shared = sync.OnceValues(func() (*Engine, error) {
	opened.Store(true)
	return open()
})

// opened says that a test has asked for the engine.
var opened atomic.Bool

// Start returns the process's engine, starting it for the first test that asks.
// Without one the test is skipped, with the reasons; it fails where an engine was
// asked for with TUTTI_NEED_ENGINE=1, and for root in CI, which can have one.
//
// In order of preference: DOCKER_HOST; a private engine, for root with a dockerd
// on PATH or in the cache (deploy/deps/deps.sh engine); the engine at the default
// socket.
func Start(t testing.TB) *Engine {
	t.Helper()
	e, err := shared()
	if err == nil {
		return e
	}
	if os.Getenv("TUTTI_NEED_ENGINE") == "1" || os.Getenv("CI") == "true" && os.Geteuid() == 0 {
		t.Fatalf("no Docker Engine for tests: %v", err)
	}
	t.Skipf("SKIPPED, nothing of it was tested: no Docker Engine: %v", err)
	return nil
}

// Main runs a package's tests and waits until the private engine, if one was
// started, has cleaned up: for TestMain. Without it the clean-up happens too,
// shortly after the process has ended.
func Main(m *testing.M) int {
	status := m.Run()
	if opened.Load() {
		if e, err := shared(); err == nil {
			e.close()
		}
	}
	return status
}

func (e *Engine) close() {
	_ = e.API.Close()
	if e.hold != nil {
		_ = e.hold.Close()
		_, _ = e.process.Wait()
	}
}

func open() (*Engine, error) {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return connect(host)
	}
	e, private := startPrivate()
	if private == nil {
		return e, nil
	}
	e, err := connect(client.DefaultDockerHost)
	if err == nil {
		return e, nil
	}
	return nil, fmt.Errorf("a private one: %w; an existing one: %w", private, err)
}

func connect(host string) (*Engine, error) {
	api, err := client.New(client.WithHost(host))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return nil, err
	}
	return &Engine{Host: host, API: api}, nil
}

// startPrivate starts the supervisor, which starts the engine.
func startPrivate() (*Engine, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("only root can start one")
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tutti-engine-supervisor-")
	if err != nil {
		return nil, err
	}
	program, err := Build(dir, "supervisor")
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	e, err := supervise(program, env)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return e, nil
}

// Build compiles one of the programs below this package into dir, linked
// statically, and returns its path.
func Build(dir, name string) (string, error) {
	out := filepath.Join(dir, name)
	build := exec.Command("go", "build", "-o", out, "github.com/tuttinode/tutti/test/engine/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, said)
	}
	return out, nil
}

// supervise runs the supervisor until this process lets go of its standard input
// or ends, and returns once the engine answers.
func supervise(program string, env []string) (*Engine, error) {
	in, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	said, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer said.Close()
	cmd := exec.Command(program)
	cmd.Env, cmd.Stdin, cmd.Stdout = env, in, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Setsid: true}
	err = cmd.Start()
	out.Close()
	if err != nil {
		hold.Close()
		return nil, fmt.Errorf("new namespaces: %w", err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	host, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ready {
		hold.Close()
		_ = cmd.Wait()
		return nil, errors.New(strings.TrimSpace(line))
	}
	e, err := connect(host)
	if err != nil {
		hold.Close()
		_ = cmd.Wait()
		return nil, err
	}
	e.Private, e.process, e.hold = true, cmd.Process, hold
	return e, nil
}

// NeedMemoryLimits skips a test where the engine cannot limit memory: a kernel
// without the cgroup for it, or a root without its files.
func (e *Engine) NeedMemoryLimits(t testing.TB) {
	t.Helper()
	info, err := e.API.Info(t.Context(), client.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !info.Info.MemoryLimit {
		t.Skip("SKIPPED, nothing of it was tested: the Docker Engine here cannot limit memory")
	}
}
