package worker_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// TestSandbox asks a real child to break out. Where the system does not provide a restriction,
// the client has to report it.
func TestSandbox(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("key"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := start(t, nil)
	if err := c.Degraded(); err != nil {
		withheld := strings.Contains(err.Error(), "not permitted") || strings.Contains(err.Error(), "the kernel has none")
		if !errors.Is(err, fault.SandboxDegraded) || !withheld {
			t.Fatal(err)
		}
		t.Skipf("this system lacks restrictions, and the client reports it: %v", err)
	}
	tryToBreakOut(t, c, l.Addr().String(), secret)
	// The CPU's engine needs no path, and no memory with a name.
	for _, try := range []string{"memfd", "read /proc/self/stat", "read /proc/meminfo", "list /proc/self/task"} {
		if got := says(t, c, try); !refused(got) {
			t.Errorf("%s: %s", try, got)
		}
	}
	facts := factsOf(t, c)
	ours, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"core=0 ", "files=256 ", fmt.Sprintf("threads=%d ", sandbox.Threads()), "nnp=1 ",
		"caps=0000000000000000 ", "sockets=1 ", fmt.Sprintf("nice=%d ", min(19, 20-ours+5))} {
		if !strings.Contains(facts+" ", want) {
			t.Errorf("%q is not among the child's facts: %s", want, facts)
		}
	}
}

// A signal to another process is refused before the system looks whether there is
// one: Landlock, which older kernels have without signals, comes later.
func TestSignalsStayInside(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	if strings.Contains(fmt.Sprint(c.Degraded()), "seccomp") {
		t.Skip(c.Degraded())
	}
	const noProcess = 1 << 22 // Linux's greatest
	if got := says(t, c, "signal-thread "+strconv.Itoa(noProcess)); !strings.Contains(got, "not permitted") {
		t.Errorf("got %s", got)
	}
	own := strconv.Itoa(c.Status().PID)
	if got := says(t, c, "signal-thread "+own); got != "done" {
		t.Errorf("its own: %s", got)
	}
}

// refused reports whether a child's error is that of a restriction: of the list of system
// calls, of Landlock, or of a path that is not in its root.
func refused(stderr string) bool {
	for _, how := range []string{"not permitted", "permission denied", "no such file", "read-only file system"} {
		if strings.Contains(stderr, how) {
			return true
		}
	}
	return false
}

// factsOf returns a child's restrictions as the system shows them from outside.
func factsOf(t *testing.T, c *worker.Client) string {
	t.Helper()
	process := "/proc/" + strconv.Itoa(c.Status().PID)
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(process, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	limit := func(name string) string {
		for line := range strings.Lines(text("limits")) {
			if v, ok := strings.CutPrefix(line, name); ok {
				return strings.Fields(v)[1]
			}
		}
		return ""
	}
	sockets := 0
	descriptors, err := filepath.Glob(process + "/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range descriptors {
		if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "socket:") {
			sockets++
		}
	}
	status := text("status")
	_, stat, _ := strings.Cut(text("stat"), ") ")
	return fmt.Sprintf("core=%s files=%s threads=%s nnp=%s caps=%s sockets=%d nice=%s unbounded=%t",
		limit("Max core file size"), limit("Max open files"), limit("Max processes"), fieldOf(status, "NoNewPrivs:"),
		fieldOf(status, "CapEff:"),
		sockets, strings.Fields(stat)[16], limit("Max data size") == "unlimited")
}

// tryToBreakOut asks a child for what it must not get.
func tryToBreakOut(t *testing.T, e transcoder.Engine, address, secret string) {
	t.Helper()
	parent := strconv.Itoa(os.Getpid())
	for _, try := range []string{
		"dial " + address, "listen", "unix",
		"read /etc/shadow", "read /etc/passwd", "read " + secret, "list /", "list /proc",
		"read /proc/" + parent + "/environ", "read /proc/" + parent + "/cmdline",
		"write " + secret, "write /tmp/tutti-worker-test", "write /dev/shm/tutti-worker-test",
		"exec", "kill " + parent, "signal-thread " + parent, "trace " + parent, "mount",
	} {
		_, err := e.Transcode(t.Context(), job("s", "do:"+try))
		f, ok := errors.AsType[*fault.Fault](err)
		if !ok || f.Code != fault.InvalidData || !refused(f.Detail) {
			t.Errorf("%s: %v", try, err)
		}
	}
}

// Without namespaces the other restrictions apply all the same, and the missing one is reported.
func TestSandboxWithoutNamespaces(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("key"), 0o644); err != nil {
		t.Fatal(err)
	}
	e, missing, err := worker.StartWithoutNamespaces(t.Context(), worker.Options{Device: "cpu", Args: []string{childArg}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !slices.Contains(missing, "user and network namespace: not permitted") {
		t.Errorf("not told: %v", missing)
	}
	if len(missing) > 2 || !slices.Contains(missing, "own root: no mount namespace is permitted") {
		t.Skipf("this system lacks more restrictions: %v", missing)
	}
	tryToBreakOut(t, e, l.Addr().String(), secret)
}
