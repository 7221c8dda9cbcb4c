package datalock

import (
	"context"
	"errors"
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
