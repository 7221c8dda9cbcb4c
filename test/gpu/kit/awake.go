package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// awake keeps a GPU initialized until it is closed, as a persistence daemon does: the
// driver shuts a GPU down when its last program ends, and wakes it for the next, which
// takes seconds each time. root is the file system's.
func awake(root, pci string) (io.Closer, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/driver/nvidia/gpus", pci, "information"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if minor, found := strings.CutPrefix(line, "Device Minor:"); found {
			return os.OpenFile(filepath.Join(root, "dev", "nvidia"+strings.TrimSpace(minor)), os.O_RDWR, 0)
		}
	}
	return nil, fmt.Errorf("the driver does not say which device file GPU %s has", pci)
}
