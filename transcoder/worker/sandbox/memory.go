package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MachineMemory returns how many bytes this process may use, and how many of them are free: the
// machine's, or those of its container or service where that may have less. They are 0
// where the system does not say. root is where the system's files are, "/".
func MachineMemory(root string) (all, free int64) {
	text, err := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		switch {
		case err != nil:
		case name == "MemTotal":
			all = kb << 10
		case name == "MemAvailable":
			free = kb << 10
		}
	}
	for _, b := range memoryGroups().bounds(root) {
		all, free = min(all, b.limit), max(0, min(free, b.limit-b.used))
	}
	return all, free
}
