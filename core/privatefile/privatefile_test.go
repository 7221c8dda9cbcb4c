package privatefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/privatefile"
)

// holds checks a file and that nothing else is left next to it.
func holds(t *testing.T, path, content string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}

func TestReplaceAndCreate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := privatefile.Create(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "one")
	if err := privatefile.Create(path, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	holds(t, path, "one")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := privatefile.Replace(path, []byte("three")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "three")
	none := filepath.Join(t.TempDir(), "none", "x")
	if privatefile.Replace(none, nil) == nil || privatefile.Create(none, nil) == nil {
		t.Error("a directory that is not there")
	}
}

// TestCreateAtOnce: of those that make a file at the same time one does.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	var made atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch err := privatefile.Create(path, []byte("whole")); {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d made it", made.Load())
	}
	holds(t, path, "whole")
}
