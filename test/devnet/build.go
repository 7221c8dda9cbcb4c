package devnet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// Binary builds the program once per process and returns where it is. Processes
// that build at the same time wait for one another; the second one finds that
// nothing is left to do.
var Binary = sync.OnceValues(build)

func build() (string, error) {
	dir, err := cacheDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	out := filepath.Join(dir, "tutti_devnet")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-o", out,
		"github.com/tuttinode/tutti/cmd/tutti_devnet")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tutti_devnet: %w\n%s", err, text)
	}
	return private(out)
}

// private links the program to a name of this process's own, which a build of
// another tree does not replace.
func private(path string) (string, error) {
	own := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.Remove(own); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.Link(path, own); err != nil {
		return "", err
	}
	removeStale(path)
	return own, nil
}

// removeStale takes away the names of processes that have ended.
func removeStale(path string) {
	names, _ := filepath.Glob(path + ".*")
	for _, name := range names {
		var pid int
		if _, err := fmt.Sscanf(filepath.Ext(name), ".%d", &pid); err != nil {
			continue
		}
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.Remove(name)
		}
	}
}

func cacheDir() (string, error) {
	if dir := os.Getenv("TUTTI_CACHE"); dir != "" {
		return filepath.Join(dir, "devnet"), nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "tutti", "devnet"), err
}

func lock(path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}
