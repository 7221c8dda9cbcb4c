package modelserver

import (
	"context"
	"os"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
)

// TestMain lets the test program be the process that asks the driver for GPUs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == command.GPUWatchWord {
		os.Exit(command.WatchGPUs(context.Background(), os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
