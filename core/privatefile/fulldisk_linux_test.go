package privatefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// TestAFullDisk: what does not fit leaves the file that was there, and nothing next to it.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Skip("this user mounts no disk: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	path := filepath.Join(dir, "x")
	if err := privatefile.Create(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 128<<10)
	if err := privatefile.Replace(path, large); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	holds(t, path, "old")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := privatefile.Create(path, large); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

// TestSpoolOnAFullDisk: a request that does not fit has the code that says so, and nothing is left of it.
func TestSpoolOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Skip("this user mounts no disk: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s := privatefile.NewSpools(dir, 1<<30, nil)
	for range 3 {
		f, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, 32<<10)); err != nil {
			t.Fatal(err)
		}
		_, err = f.Write(make([]byte, 64<<10))
		if !errors.Is(err, fault.RequestDiskFull) || !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
		_ = f.Close()
	}
}
