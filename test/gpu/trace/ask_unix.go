//go:build unix

package trace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Ask makes a tracing process write its record, and returns it.
func Ask(ctx context.Context, pid int, path string) (Trace, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return Trace{}, err
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		return Trace{}, fmt.Errorf("ask the tracing process: %w", err)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		t, err := Read(path)
		if err == nil || !errors.Is(err, os.ErrNotExist) {
			return t, err
		}
		select {
		case <-ctx.Done():
			return Trace{}, fmt.Errorf("wait for the record: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
