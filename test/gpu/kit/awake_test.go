package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAwake(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	about := filepath.Join(root, "proc/driver/nvidia/gpus/0000:3b:00.0")
	for _, folder := range []string{about, filepath.Join(root, "dev")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(root, "dev", "nvidia1"), "")
	if _, err := awake(root, "0000:3b:00.0"); err == nil {
		t.Error("a GPU without description was opened")
	}
	put(filepath.Join(about, "information"), "Model: \t\t NVIDIA L4\nBus Location: \t 0000:3b:00.0\n")
	if _, err := awake(root, "0000:3b:00.0"); err == nil {
		t.Error("a GPU without device file was opened")
	}
	put(filepath.Join(about, "information"), "Model: \t\t NVIDIA L4\nDevice Minor: \t 1\nGPU Excluded:\t No\n")
	held, err := awake(root, "0000:3b:00.0")
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
}
