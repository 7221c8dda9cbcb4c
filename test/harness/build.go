package harness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// EnvHome names a folder with the programs ready made in bin, as the GPU kit has them.
const EnvHome = "TUTTI_GPUKIT_HOME"

// ready is the path of a program that need not be compiled, "" for none.
func ready(name string) string {
	if home := os.Getenv(EnvHome); home != "" {
		return filepath.Join(home, "bin", name)
	}
	return ""
}

// Build compiles cmd/tutti into dir and returns its path. TestMain calls it once.
func Build(dir string) (string, error) { return program(dir, "tutti") }

// BuildTool compiles cmd/tutti_cli into dir, without C as it is shipped, and returns
// its path.
func BuildTool(dir string) (string, error) { return program(dir, "tutti_cli", "CGO_ENABLED=0") }

// BuildBench compiles cmd/tutti_bench into dir and returns its path.
func BuildBench(dir string) (string, error) { return program(dir, "tutti_bench") }

// shared is the folder in the tree where the test processes find what another one linked.
const shared = "bin/undertest"

// program puts a program of cmd into dir. All test processes of a tree link it once: the
// go command sees by itself whether the one in the shared folder is what the sources give.
func program(dir, name string, env ...string) (string, error) {
	if path := ready(name); path != "" {
		return path, nil
	}
	out, common := filepath.Join(dir, name), filepath.Join(moduleRoot(), shared, name)
	unlock, err := lockFolder(filepath.Dir(common))
	if err != nil {
		// A tree that may not be written to.
		return out, link(out, name, env)
	}
	defer unlock()
	if err := link(common, name, env); err != nil {
		return "", err
	}
	// The go command keeps results of tests whose own code and files are as they were: this makes the program one of
	// the files.
	if _, err := os.Stat(common); err != nil {
		return "", err
	}
	return out, own(common, out)
}

// link has the go command make out, which costs little when out is up to date.
func link(out, name string, env []string) error {
	cmd := exec.Command("go", "build", "-o", out, "github.com/tuttinode/tutti/cmd/"+name)
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", name, err, text)
	}
	return nil
}

// own gives the caller a program that a later build does not replace: the go command
// makes a new file and leaves the old one to the names that it has.
func own(common, out string) error {
	err := os.Link(common, out)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	from, err := os.Open(common)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// lockFolder makes a folder and waits until no other test process builds into it.
func lockFolder(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}
