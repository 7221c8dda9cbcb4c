package machine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// TestOtherUsersReadNothing: with the widest umask, a node on a chain leaves nothing
// in its data directory that another user of the machine can read, enter or change.
func TestOtherUsersReadNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("a password\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := devnet.Start(t, devnet.Options{})
	addr, admin := harness.Address(t), harness.Address(t)
	old := syscall.Umask(0)
	node := harness.Start(t, binary, "-orchestrator", "-transcoder", "-network", "devnet", "-ethUrl", c.URL(0),
		"-ethController", c.Info.Controller.String(), "-ethPassword", password, "-dataDir", dir,
		"-serviceAddr", addr, "-cliAddr", admin, "-pricePerUnit", "1")
	syscall.Umask(old)
	node.WaitHTTP("http://" + admin + "/healthz")
	node.Wait("an account and its books", 20*time.Second, func() bool {
		names := strings.Join(files(t, dir), " ")
		return strings.Contains(names, "keystore/") && strings.Contains(names, "tutti.db") &&
			strings.Contains(names, "key.pem")
	})
	seen := files(t, dir)
	for _, name := range append(seen, ".") {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			continue // a journal of the database that is gone by now
		}
		if mode := info.Mode(); mode.Perm()&0o077 != 0 && mode.Type() != fs.ModeSymlink {
			t.Errorf("%s has mode %v", name, mode)
		}
	}
	t.Logf("looked at %v", seen)
}

// files are all names under a folder.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if name, e := filepath.Rel(dir, path); err == nil && e == nil && name != "." {
			out = append(out, name)
		}
		return nil
	})
	return out
}
