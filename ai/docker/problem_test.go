package docker_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
)

func withLabels(labels map[string]string) *container.Config { return &container.Config{Labels: labels} }

func wantCode(t *testing.T, err error, want fault.Code, words ...string) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("%v, want %s", err, want)
		return
	}
	t.Log(err)
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
}

func TestNoEngine(t *testing.T) {
	t.Parallel()
	stale := filepath.Join(t.TempDir(), "docker.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	for _, host := range []string{"unix://" + filepath.Join(t.TempDir(), "nosuch.sock"), "unix://" + stale,
		"tcp://127.0.0.1:1"} {
		e, err := docker.Open(docker.Options{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Ping(t.Context())
		wantCode(t, err, fault.DockerMissing)
		_, err = e.Reconcile(t.Context())
		wantCode(t, err, fault.DockerMissing)
		wantCode(t, e.EnsureImage(t.Context(), "a/b:1", nil), fault.DockerMissing)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// pingVariable makes this program ping an engine and say how that went.
const pingVariable = "TUTTI_TEST_PING"

func pingAndSay() {
	e, err := docker.Open(docker.Options{Host: os.Getenv(pingVariable)})
	if err == nil {
		_, err = e.Ping(context.Background())
	}
	fmt.Println(err)
	os.Exit(0)
}

// Another user than root, outside the group of the socket.
func TestForbidden(t *testing.T) {
	t.Parallel()
	real := engine.Start(t)
	if !real.Private {
		t.Skip("needs an engine whose socket is root's only, and root to become another user")
	}
	dir, err := os.MkdirTemp("", "tutti-forbidden-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "test")
	copyProgram(t, os.Args[0], program)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const unprivileged = 65534
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = []string{pingVariable + "=" + real.Host}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), string(fault.DockerForbidden)) {
		t.Errorf("%s, %v", out, err)
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
}

func TestGPUWithoutToolkit(t *testing.T) {
	t.Parallel()
	b := open(t)
	if !b.real.Private {
		t.Skip("the engine may have the toolkit")
	}
	s := b.spec()
	s.Devices = []string{"0", "1"}
	id := b.create(s)
	wantCode(t, b.Start(t.Context(), id), fault.GPUToolkitMissing, "could not select device driver")
}

func TestPortConflict(t *testing.T) {
	t.Parallel()
	b := open(t)
	first := b.spec()
	b.run(first)
	second := b.spec()
	second.HostPort = first.HostPort
	wantCode(t, b.Start(t.Context(), b.create(second)), fault.ContainerPortConflict, strconv.Itoa(int(first.HostPort)))

	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	third := b.spec()
	third.HostPort = uint16(l.Addr().(*net.TCPAddr).Port)
	wantCode(t, b.Start(t.Context(), b.create(third)), fault.ContainerPortConflict)
}

func TestNameConflict(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.spec()
	b.create(s)
	_, err := b.Create(t.Context(), s)
	wantCode(t, err, fault.ContainerNameConflict, s.Name)
}

func TestImages(t *testing.T) {
	t.Parallel()
	b := open(t)
	const nosuch = "tutti-test/nosuch:1"
	if present, err := b.ImagePresent(t.Context(), b.image); err != nil || !present {
		t.Error(present, err)
	}
	if present, err := b.ImagePresent(t.Context(), nosuch); err != nil || present {
		t.Error(present, err)
	}
	if err := b.EnsureImage(t.Context(), b.image, nil); err != nil {
		t.Error("an image that is there was fetched:", err)
	}
	s := b.spec()
	s.Image = nosuch
	_, err := b.Create(t.Context(), s)
	wantCode(t, err, fault.ImageMissing)
	wantCode(t, b.EnsureImage(t.Context(), "Not/An Image", nil), fault.ImageNameInvalid)
	// A registry on this machine where nothing listens.
	refused := fmt.Sprintf("127.0.0.1:%d/livepeer/ai-runner:llm", port(t))
	wantCode(t, b.EnsureImage(t.Context(), refused, nil), fault.ImagePullFailed, refused, "the registry cannot be reached")
}

func TestModelsDirMissing(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.spec()
	s.ModelsDir = filepath.Join(t.TempDir(), "nosuch")
	_, err := b.Create(t.Context(), s)
	wantCode(t, err, fault.ModelsDirUnusable, s.ModelsDir)
}

func TestImagesThatCannotRun(t *testing.T) {
	t.Parallel()
	b := open(t)
	dir := t.TempDir()
	// The head of an ELF program for another CPU architecture.
	elf := append([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xff\x00"), make([]byte, 4000)...)
	if err := os.WriteFile(filepath.Join(dir, "odd"), elf, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		program string
		want    fault.Code
	}{
		"other processor": {"/odd", fault.ImageWrongPlatform},
		"no such program": {"/nosuch", fault.ContainerCannotRun},
		"not on path":     {"nosuch", fault.ContainerCannotRun},
	} {
		t.Run(name, func(t *testing.T) {
			image := "tutti-test/" + strings.ReplaceAll(name, " ", "-") + ":1"
			b.real.Import(t, dir, image, []string{tt.program}, nil)
			s := b.spec()
			s.Image = image
			id := b.create(s)
			err := b.Start(t.Context(), id)
			if err == nil {
				b.awaitEnd(id)
			}
			death, looked := b.ExitReason(t.Context(), id)
			if looked != nil {
				t.Fatal(looked)
			}
			wantCode(t, death.Fault, tt.want)
			if err != nil {
				wantCode(t, err, tt.want)
			}
		})
	}
}

func TestExitAtStart(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.spec("FAKE_EXIT=3", "FAKE_SAY=the license of this model was not accepted")
	id := b.run(s)
	b.awaitEnd(id)
	death, err := b.ExitReason(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, death.Fault, fault.ContainerExited, "exit status 3", "the license of this model")
	if len(death.Lines) != 2 || death.Status.ExitCode != 3 {
		t.Errorf("%+v", death)
	}
	out := b.run(b.spec("FAKE_EXIT=1", "FAKE_SAY=torch.OutOfMemoryError: CUDA out of memory."))
	b.awaitEnd(out)
	if death, err = b.ExitReason(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	wantCode(t, death.Fault, fault.ContainerOOM)
}

// The same exit under a tag of another release has that as its reason.
func TestExitOfAnotherRelease(t *testing.T) {
	t.Parallel()
	b := open(t)
	dir := t.TempDir()
	if _, err := engine.Build(dir, "runner"); err != nil {
		t.Fatal(err)
	}
	const image = "tutti-test/ai-runner:llm-0.12.3"
	b.real.Import(t, dir, image, []string{"/runner"}, []string{"FAKE_EXIT=1"})
	s := b.spec()
	s.Image = image
	id := b.run(s)
	b.awaitEnd(id)
	death, err := b.ExitReason(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, death.Fault, fault.ImageMismatch, "llm-0.12.3", docker.RunnerRelease)
}

func TestKilledForWantOfMemory(t *testing.T) {
	t.Parallel()
	engine.Start(t).NeedMemoryLimits(t)
	b := open(t)
	// The engine hears of the end and of its reason on two ways, and may miss the
	// reason of one that ends at once.
	var id docker.ID
	for range 5 {
		s := b.spec("FAKE_EAT_MB=2000")
		s.MemoryBytes = 48 << 20
		id = b.run(s)
		got := b.awaitEnd(id)
		if got.ExitCode != 137 {
			t.Fatalf("it was not killed: %+v", got)
		}
		if got.OOMKilled {
			break
		}
		t.Logf("the engine missed the reason: %+v", got)
	}
	death, err := b.ExitReason(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, death.Fault, fault.ContainerOOM)
}
