package upgrade

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// TestReloadOfAStartingNode: signals for a reload and an upgrade that come while the node still reads its
// configuration, as a hook that renews certificates sends them, do not end it. The reload is done.
func TestReloadOfAStartingNode(t *testing.T) {
	t.Parallel()
	n := prepare(t, slowModel(t))
	conf := filepath.Join(n.dir, "tutti.conf")
	if err := os.Remove(conf); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(conf, 0o600); err != nil {
		t.Fatal(err)
	}
	n.p = harness.Start(t, n.program(), n.args()...)
	pipe := reading(t, n, conf)
	n.p.Signal(syscall.SIGHUP)
	if err := os.Remove(conf); err != nil {
		t.Fatal(err)
	}
	n.configure("maxSessions 30\n") // what is read again
	if _, err := pipe.WriteString("maxSessions 10\n"); err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	n.up()
	within(t, 10*time.Second, "the new limit", func() bool {
		var s adminapi.Settings
		n.read(adminapi.PathSettings, &s)
		return string(s.MaxSessions) == "30"
	})
	n.p.Signal(syscall.SIGTERM)
	if status := n.p.Exit(30 * time.Second); status != 0 {
		t.Errorf("it ended with %d", status)
	}
}

// reading is the end to write of a pipe, once the node reads the other.
func reading(t *testing.T, n *node, path string) (pipe *os.File) {
	t.Helper()
	n.p.Wait("its configuration is read", 20*time.Second, func() bool {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		pipe = f
		return err == nil
	})
	return pipe
}
