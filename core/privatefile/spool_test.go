package privatefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// TestSpools: files have no name, are bounded together, and give their space back; a name that a killed process left is
// removed at the next start.
func TestSpools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, ".request-1")
	if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := privatefile.NewSpools(dir, 10, []byte("secret"))
	if runtime.GOOS == "windows" {
		if s != nil {
			t.Error("files whose names cannot be removed")
		}
		return
	}
	a, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 0 {
		t.Errorf("names in the folder: %v, %v", all, err)
	}
	b, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write([]byte("0")); !errors.Is(err, fault.RequestDiskFull) {
		t.Errorf("above the limit: %v", err)
	}
	got := make([]byte, 3)
	if _, err := a.ReadAt(got, 4); err != nil || string(got) != "456" {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 { // closing it twice frees it once
		_ = a.Close()
	}
	if _, err := a.ReadAt(got, 0); err == nil {
		t.Error("a closed file is read")
	}
	if _, err := b.Write([]byte("0123456789")); err != nil || s.Used() != 10 {
		t.Errorf("after the other: %v, %d used", err, s.Used())
	}
	_ = b.Close()
	if s.Used() != 0 {
		t.Errorf("%d used", s.Used())
	}
	if _, err := privatefile.NewSpools(filepath.Join(left, "x"), 1, nil).Open(); err != nil {
		t.Errorf("a folder that is not there yet: %v", err)
	}
}
