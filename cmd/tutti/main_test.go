package main

import (
	"context"
	"os"
	"runtime"
	"testing"
)

// TestMain lets the test program be the processes that the node starts itself with.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if _, ok := commandOf(os.Args[1]); ok {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
		}
	}
	os.Exit(m.Run())
}

// TestAFileWithoutEnd: what an option names as a file may be a device.
func TestAFileWithoutEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has no such device")
	}
	text, err := readNamed("/dev/zero")
	if err != nil || len(text) != mostNamed {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
