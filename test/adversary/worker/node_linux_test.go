package worker

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// orchestrator starts an off-chain orchestrator with a transcoder on the CPU, and
// returns it with its service address.
func orchestrator(t *testing.T, args ...string) (*harness.Process, string) {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, program, append([]string{"-orchestrator", "-transcoder", "-serviceAddr", addr,
		"-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-maxSessions", "100",
		"-encoderPreset", "ultrafast"}, args...)...)
	p.WaitHTTP("https://" + addr + "/healthz")
	return p, addr
}

// gateway starts a gateway before an orchestrator and returns its base address.
func gateway(t *testing.T, orchestrator string, args ...string) string {
	t.Helper()
	addr := harness.Address(t)
	p := harness.Start(t, program, append([]string{"-gateway", "-orchAddr", orchestrator, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-transcodingOptions", "P240p30fps16x9,P144p30fps16x9"},
		args...)...)
	p.WaitHTTP("http://" + addr + "/healthz")
	return "http://" + addr
}

// segment is a second of video.
func segment(t *testing.T) []byte {
	t.Helper()
	g, err := clip.Generate(clip.Options{Width: 426, Height: 240, FPSNum: 30, FPSDen: 1,
		Segment: time.Second, Segments: 1, Bitrate: 400_000})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := g.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s.Data
}

// push sends a segment of a stream to a gateway.
func push(gateway, stream string, data []byte) ([]harness.Rendition, error) {
	return harness.Push(gateway, stream, "0.ts", data, time.Second)
}

// workerOf is the media worker of a node, 0 while there is none that serves.
func workerOf(t *testing.T, node int) int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", node))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, field := range strings.Fields(string(text)) {
			cmdline, _ := os.ReadFile("/proc/" + field + "/cmdline")
			status, _ := os.ReadFile("/proc/" + field + "/status")
			pid, err := strconv.Atoi(field)
			if err == nil && strings.Contains(string(cmdline), "media-worker") &&
				strings.Contains(string(status), "\nSeccomp_filters:\t2") {
				return pid
			}
		}
	}
	return 0
}

// impostor stands in for a node's media worker.
type impostor struct {
	*worker.Conn
	pid int
}

// takeOver stops a node's media worker and takes its socket.
func takeOver(t *testing.T, node *harness.Process) *impostor {
	t.Helper()
	i := &impostor{}
	node.Wait("a media worker", 30*time.Second, func() bool {
		i.pid = workerOf(t, node.PID())
		return i.pid != 0
	})
	i.Conn = worker.NewConn(socketOf(t, i.pid))
	t.Cleanup(func() { i.Close() })
	if err := unix.Kill(i.pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// A thread that still runs would read half of a message.
	node.Wait("the worker's stop", 10*time.Second, func() bool { return stopped(t, i.pid) })
	return i
}

// stopped reports whether all threads of a process are.
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		// The state follows the name, which is in parentheses.
		if _, after, ok := strings.Cut(string(text), ") "); ok && after[0] != 'T' {
			return false
		}
	}
	return true
}

// socketOf is the one socket of a process, as a connection of this one.
func socketOf(t *testing.T, pid int) net.Conn {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || !strings.HasPrefix(target, "socket:") {
			continue
		}
		theirs, err := strconv.Atoi(filepath.Base(link))
		if err != nil {
			t.Fatal(err)
		}
		process, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(process)
		ours, err := unix.PidfdGetfd(process, theirs, 0)
		if err != nil {
			t.Fatalf("take the worker's socket: %v", err)
		}
		file := os.NewFile(uintptr(ours), "socket")
		defer file.Close()
		conn, err := net.FileConn(file)
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	t.Fatalf("process %d has no socket", pid)
	return nil
}

// memory is the most that a process has used so far, in bytes.
func memory(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("the system does not say what the node used")
	return 0
}
