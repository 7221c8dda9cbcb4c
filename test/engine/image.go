package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/moby/moby/client"
)

// Import makes an image called name, "fake-runner:1", out of a directory or a tar
// file: its files are the image's root. entrypoint is the program and its first
// arguments, env "NAME=value". The image stays until the engine goes.
func (e *Engine) Import(t testing.TB, source, name string, entrypoint, env []string) {
	t.Helper()
	if err := e.importImage(t.Context(), source, name, entrypoint, env); err != nil {
		t.Fatalf("import %s: %v", name, err)
	}
}

func (e *Engine) importImage(ctx context.Context, source, name string, entrypoint, env []string) error {
	root, err := archive(source)
	if err != nil {
		return err
	}
	program, err := json.Marshal(entrypoint)
	if err != nil {
		return err
	}
	changes := []string{"ENTRYPOINT " + string(program)}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		changes = append(changes, fmt.Sprintf("ENV %s=%q", name, value))
	}
	answer, err := e.API.ImageImport(ctx, client.ImageImportSource{Source: root, SourceName: "-"}, name,
		client.ImageImportOptions{Changes: changes})
	if err != nil {
		return err
	}
	defer answer.Close()
	said, err := io.ReadAll(answer)
	if err != nil {
		return err
	}
	if bytes.Contains(said, []byte(`"error"`)) {
		return fmt.Errorf("%s", said)
	}
	return nil
}

// archive is a tar of source.
func archive(source string) (io.Reader, error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		b, err := os.ReadFile(source)
		return bytes.NewReader(b), err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.AddFS(os.DirFS(source)); err != nil {
		return nil, err
	}
	return &out, w.Close()
}

// runnerImage is made once per process.
var runnerImage sync.Once

// runnerName is the fake runner's image: named as the network's own would be, so
// that rules about its tag apply.
const runnerName = "tutti-test/ai-runner:llm"

// RunnerImage returns the name of an image with the fake runner in it, which
// speaks the network's runner contract and misbehaves as its environment says:
// see package runner's documentation for the variables.
func (e *Engine) RunnerImage(t testing.TB) string {
	t.Helper()
	var err error
	runnerImage.Do(func() { err = e.makeRunner() })
	if err != nil {
		t.Fatalf("make the fake runner's image: %v", err)
	}
	return runnerName
}

func (e *Engine) makeRunner() error {
	dir, err := os.MkdirTemp("", "tutti-runner-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := Build(dir, "runner"); err != nil {
		return err
	}
	// A context of its own: the image outlives the test that asked first.
	return e.importImage(context.Background(), dir, runnerName, []string{"/runner"}, nil)
}
