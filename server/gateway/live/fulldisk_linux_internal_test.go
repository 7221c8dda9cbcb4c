package live

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSavedSegmentsOnAFullDisk: a copy that does not fit is reported and leaves nothing, and the next one is kept.
func TestSavedSegmentsOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Skip("this user mounts no disk: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	c, err := newSavedSegments(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	c.save(savedSegment{name: "a-000.ts", data: make([]byte, 128<<10)})
	c.save(savedSegment{name: "a-001.ts", data: []byte("kept")})
	c.close()
	c.save(savedSegment{name: "a-002.ts", data: []byte("late")})
	var failed []error
	c.run(func(err error) { failed = append(failed, err) })
	if len(failed) != 1 || !errors.Is(failed[0], syscall.ENOSPC) {
		t.Error(failed)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 || all[0].Name() != "a-001.ts" {
		t.Error(all, err)
	}
}
