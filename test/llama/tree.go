package llama

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/cpu"
)

// Tree is the directory with the server's files. It gets them first if this
// machine has not got them yet, which takes some seconds and the Debian archive.
func Tree(ctx context.Context) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(root, "deploy", "deps", "deps.sh"), "llama")
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("get llama.cpp: %w\n%s", err, said.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

// moduleRoot is the tree that the working directory is in.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the working directory is in no checkout of this module")
		}
		dir = up
	}
}

// Command is the server's command line: its own dynamic loader with its own
// libraries, because they are newer than the machine's.
func Command(tree string, args ...string) (*exec.Cmd, error) {
	loaders, err := filepath.Glob(filepath.Join(tree, "usr", "lib", "*", "ld-linux-*.so.*"))
	if err != nil || len(loaders) == 0 {
		return nil, fmt.Errorf("no dynamic loader in %s", tree)
	}
	lib := filepath.Dir(loaders[0])
	backend, err := Backend(tree)
	if err != nil {
		return nil, err
	}
	paths := lib + ":" + filepath.Join(lib, "llama")
	cmd := exec.Command(loaders[0], append([]string{
		"--library-path", paths, filepath.Join(tree, "usr", "bin", "llama-server"),
	}, args...)...)
	// Computing back-ends are looked up where the package would be installed.
	cmd.Env = append(os.Environ(), "GGML_BACKEND_PATH="+backend)
	return cmd, nil
}

// Backend is the file with the best computing code for this CPU.
func Backend(tree string) (string, error) {
	dirs, err := filepath.Glob(filepath.Join(tree, "usr", "lib", "*", "ggml", "backends0"))
	if err != nil || len(dirs) == 0 {
		return "", fmt.Errorf("no computing back-ends in %s", tree)
	}
	for _, name := range backends() {
		path := filepath.Join(dirs[0], "libggml-cpu"+name+".so")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no computing back-end for this CPU in %s", dirs[0])
}

// backends are names to look for, the fastest that this CPU runs first.
func backends() []string {
	switch {
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2:
		return []string{"-haswell", "-sse42", "-x64", ""}
	case cpu.X86.HasSSE42:
		return []string{"-sse42", "-x64", ""}
	}
	return []string{"-x64", "-armv8.0_1", ""}
}
