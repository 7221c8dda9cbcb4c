package modelserver

import (
	"context"
	"os"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/gpucmd"
)

// TestMain lets the test program be the process that asks the driver for GPUs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == gpucmd.WatchWord {
		os.Exit(gpucmd.Watch(context.Background(), os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
