package upgrade

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// watchdog is how long the manager of these tests waits for a sign of life.
const watchdog = 6 * time.Second

// manager stands in for systemd with NotifyAccess=main: it believes the main process
// alone, which only that one can change.
type manager struct {
	t    *testing.T
	path string

	mu sync.Mutex
	// All below is guarded by mu. received is what was believed; gap is the longest time
	// without a sign of life since the first.
	main     int
	received []string
	alive    time.Time
	gap      time.Duration
}

func newManager(t *testing.T) *manager {
	t.Helper()
	dir, err := os.MkdirTemp("", "manager") // a test's own name may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	m := &manager{t: t, path: filepath.Join(dir, "notify")}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := conn.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
				t.Error(err)
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { m.listen(conn) })
	t.Cleanup(func() {
		_ = conn.Close()
		wg.Wait()
		_ = os.RemoveAll(dir)
	})
	return m
}

func (m *manager) env() []string {
	return []string{"NOTIFY_SOCKET=" + m.path, fmt.Sprintf("WATCHDOG_USEC=%d", watchdog.Microseconds())}
}

func (m *manager) listen(conn *net.UnixConn) {
	text, extra := make([]byte, 4096), make([]byte, 256)
	for {
		n, k, _, _, err := conn.ReadMsgUnix(text, extra)
		if err != nil {
			return
		}
		all, err := unix.ParseSocketControlMessage(extra[:k])
		if err != nil || len(all) == 0 {
			continue
		}
		cred, err := unix.ParseUnixCredentials(&all[0])
		if err != nil {
			continue
		}
		m.take(int(cred.Pid), strings.Split(string(text[:n]), "\n"))
	}
}

// take believes what the main process says.
func (m *manager) take(pid int, lines []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.main == 0 {
		m.main = pid // the first that reports is the one that was started
	}
	if pid != m.main {
		return
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case "STATUS":
			continue
		case "WATCHDOG":
			now := time.Now()
			if !m.alive.IsZero() {
				m.gap = max(m.gap, now.Sub(m.alive))
			}
			m.alive = now
		case "MAINPID":
			_, _ = fmt.Sscan(value, &m.main)
		}
		if len(m.received) == 0 || m.received[len(m.received)-1] != name {
			m.received = append(m.received, name)
		}
	}
}

// said is what was received in a row, without what is repeated.
func (m *manager) said() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.received, " ")
}

func (m *manager) waits(what string, limit time.Duration) {
	m.t.Helper()
	within(m.t, limit, "the service manager to hear "+what+"; it heard "+m.said(),
		func() bool { return strings.HasSuffix(m.said(), what) })
}

// TestServiceManager: what a service manager is told from the start over a reload and an
// upgrade to the end, in this order, by the process that it believes, and without ever a
// reason to think that the node hangs.
func TestServiceManager(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	n := prepare(t, slowModel(t))
	n.launch(m.env(), nil)
	m.waits("READY WATCHDOG", 20*time.Second)
	n.p.Signal(syscall.SIGHUP)
	m.waits("READY WATCHDOG RELOADING MONOTONIC_USEC READY WATCHDOG", 20*time.Second)
	pid := n.upgrade()
	n.serves(pid)
	n.ends(n.p.PID())
	m.waits("MAINPID READY WATCHDOG", 20*time.Second)
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	n.ends(pid)
	m.waits("STOPPING EXTEND_TIMEOUT_USEC", 5*time.Second)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gap > watchdog {
		t.Errorf("no sign of life for %v", m.gap)
	}
}

// TestFallback: a new program that hangs with the place or ends with it is given up, the
// old one is back, and the service manager sees no pause.
func TestFallback(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	n := prepare(t, slowModel(t))
	n.launch(m.env(), nil)
	m.waits("READY WATCHDOG", 20*time.Second)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n.install(readFile(t, self)) // TestMain plays the program that comes not up
	bad := n.upgrade()
	n.ends(bad)
	within(t, 40*time.Second, "the old program to serve",
		func() bool { return strings.Contains(n.p.Log(), "another process serves") })
	n.ends(n.p.PID())
	m.waits("MAINPID READY WATCHDOG", 20*time.Second)
	m.mu.Lock()
	main, gap := m.main, m.gap
	m.mu.Unlock()
	t.Cleanup(func() { _ = syscall.Kill(main, syscall.SIGKILL) })
	if main == bad || gap > watchdog {
		t.Errorf("process %d serves, and there was no sign of life for %v", main, gap)
	}
	var d struct{ State string }
	if n.read("/api/v1/drain", &d); d.State != "serving" {
		t.Errorf("%+v", d)
	}
	// It goes on from there: what was replaced on disk is replaced again.
	n.install(readFile(t, binary))
	n.serves(n.upgrade())
}

// TestSocketUnits: the node listens on the sockets that it was given, before and after an
// upgrade, and the manager keeps them open.
func TestSocketUnits(t *testing.T) {
	t.Parallel()
	n := prepare(t, slowModel(t))
	files := []*os.File{socket(t, n.admin), socket(t, n.addr)}
	n.launch([]string{"LISTEN_FDS=2", "LISTEN_FDNAMES=admin:public"}, files)
	n.up()
	first := n.upgrade()
	n.serves(first)
	n.up()
	second := n.upgrade()
	n.serves(second)
	n.up()
	n.ends(n.p.PID())
	n.ends(first)
	if err := syscall.Kill(second, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	n.ends(second)
	// As after a crash or a stop: connections wait for the next process.
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", n.addr)
	if err != nil {
		t.Fatalf("the socket is closed: %v", err)
	}
	_ = conn.Close()
	n.launch([]string{"LISTEN_FDS=2", "LISTEN_FDNAMES=admin:public"}, files)
	n.up()
}

// socket opens a socket as a socket unit does.
func socket(t *testing.T, addr string) *os.File {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestSocketsEndWithTheNode: the process that finishes its answers keeps no socket open
// where the one that took over has ended, and ends then too.
func TestSocketsEndWithTheNode(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	begun := make(chan struct{})
	var l load
	l.chat(n.gateway(), begun)
	<-begun
	pid := n.upgrade()
	n.serves(pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	n.ends(pid)
	within(t, 4*time.Second, "the port to be free", func() bool {
		l, err := net.Listen("tcp", n.addr)
		if err == nil {
			_ = l.Close()
		}
		return err == nil
	})
	n.ends(n.p.PID())
	l.wg.Wait() // its answer is cut off: the node is down
}

// TestUpgradeIsRefused: a draining node is not replaced by one that takes work, and a
// file that would keep the new process from coming up is found while the old one works.
func TestUpgradeIsRefused(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	models := readFile(t, filepath.Join(n.dir, "aiModels.json"))
	writeFile(t, filepath.Join(n.dir, "aiModels.json"), []byte("{"), 0o600)
	var any struct{ State string }
	if err := n.change("/api/v1/upgrade", nil, &any); err == nil || !strings.Contains(err.Error(), "UpgradeFailed") {
		t.Errorf("models that cannot be read: %v", err)
	}
	writeFile(t, filepath.Join(n.dir, "aiModels.json"), models, 0o600)
	if err := n.change("/api/v1/drain", struct{}{}, &any); err != nil {
		t.Fatal(err)
	}
	if err := n.change("/api/v1/upgrade", nil, &any); err == nil || !strings.Contains(err.Error(), "UpgradeRefused") {
		t.Errorf("while draining: %v", err)
	}
	if n.read("/api/v1/drain", &any); any.State != "drained" {
		t.Errorf("%+v", any)
	}
}

// launch starts the node by a shell, which is one process with it, so that it can be told
// its number.
func (n *node) launch(env []string, files []*os.File) {
	n.t.Helper()
	args := append([]string{"-c", `LISTEN_PID=$$ WATCHDOG_PID=$$ exec "$0" "$@"`, n.program()}, n.args()...)
	n.p = startWith(n.t, env, files, args...)
}
