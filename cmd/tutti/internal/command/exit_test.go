package command

import (
	"runtime"
	"testing"
)

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
