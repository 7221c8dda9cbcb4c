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
)

// TestWalls asks a real child to break out. Where the system withholds a wall,
// the client has to say so.
func TestWalls(t *testing.T) {
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
		t.Skipf("this system withholds walls, and the client says so: %v", err)
	}
	tryToBreakOut(t, c, l.Addr().String(), secret)
	// What an engine needs stays possible.
	for _, try := range []string{"memfd", "read /proc/self/stat", "read /proc/meminfo"} {
		_, err := c.Transcode(t.Context(), job("s", "do:"+try))
		if f, ok := errors.AsType[*fault.Fault](err); !ok || f.Detail != "done" {
			t.Errorf("%s: %v", try, err)
		}
	}
	_, err = c.Transcode(t.Context(), job("s", "do:facts"))
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		t.Fatal(err)
	}
	ours, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"core=0 ", "files=256 ", "nnp=1 ", "caps=0000000000000000 ", "sockets=1 ", fmt.Sprintf("nice=%d ", min(19, 20-ours+5))} {
		if !strings.Contains(f.Detail+" ", want) {
			t.Errorf("%q is not among the child's facts: %s", want, f.Detail)
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
		if !ok || f.Code != fault.InvalidData || !strings.Contains(f.Detail, "not permitted") && !strings.Contains(f.Detail, "permission denied") {
			t.Errorf("%s: %v", try, err)
		}
	}
}

// Without namespaces the other walls hold all the same, and the lack is told.
func TestWallsWithoutNamespaces(t *testing.T) {
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
	if len(missing) > 1 {
		t.Skipf("this system withholds more walls: %v", missing)
	}
	tryToBreakOut(t, e, l.Addr().String(), secret)
}
