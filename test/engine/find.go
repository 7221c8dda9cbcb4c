package engine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/test/cache"
)

// environment is what dockerd needs to be found and to find its own parts: PATH
// as it is where that has a dockerd, else the packages unpacked in the cache.
func environment() ([]string, error) {
	env := os.Environ()
	if _, err := exec.LookPath("dockerd"); err == nil {
		return env, nil
	}
	tree, err := filepath.EvalSymlinks(filepath.Join(cache.Dir(), "engine", "current"))
	if err != nil {
		return nil, errors.New("no dockerd on PATH and none in the cache: run deploy/deps/deps.sh engine")
	}
	path := programs(tree) + string(os.PathListSeparator) + os.Getenv("PATH")
	return append(env, "PATH="+path, "LD_LIBRARY_PATH="+libraries(tree)), nil
}

func programs(tree string) string {
	return below(tree, "usr/sbin", "usr/bin", "sbin", "bin")
}

func libraries(tree string) string {
	dirs, _ := filepath.Glob(filepath.Join(tree, "usr/lib/*-linux-*"))
	more, _ := filepath.Glob(filepath.Join(tree, "lib/*-linux-*"))
	return strings.Join(append(dirs, more...), string(os.PathListSeparator))
}

func below(tree string, names ...string) string {
	for i, n := range names {
		names[i] = filepath.Join(tree, n)
	}
	return strings.Join(names, string(os.PathListSeparator))
}
