package nodedb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

func TestOneProcessPerDataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Lock(dir, LockName)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(dir, LockName)
	if !errors.Is(err, fault.DataDirInUse) || !strings.Contains(err.Error(), "held by process ") {
		t.Fatalf("the second: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Run(ctx, func() {}); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(dir, LockName)
	if err != nil {
		t.Fatalf("after the first ended: %v", err)
	}
	_ = again.file.Close()
}

// Root locks directories of the service, too: a link in place of the lock's file would have another file emptied.
func TestALinkIsNoLock(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, LockName)); err != nil {
		t.Skip("no links here")
	}
	if _, err := Lock(dir, LockName); !errors.Is(err, fault.DataDirUnusable) {
		t.Errorf("locked, %v", err)
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}
