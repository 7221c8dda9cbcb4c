package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// controller is a part of control groups that limits something, with its files in both
// versions of them.
type controller struct {
	name string
	// limit and used are the files of version 2, limit1 and used1 those of version 1.
	limit, used, limit1, used1 string
}

func threadGroups() controller {
	return controller{"pids", "pids.max", "pids.current", "pids.max", "pids.current"}
}

func memoryGroups() controller {
	return controller{"memory", "memory.max", "memory.current", "memory.limit_in_bytes",
		"memory.usage_in_bytes"}
}

// bound is a limit of a control group and what its processes use of it.
type groupLimit struct{ limit, used int64 }

// bounds returns the limits that hold for this process: those of its groups and of the
// groups above them. What is not shown in a container may be missing below its root.
func (c controller) bounds(root string) (out []groupLimit) {
	b, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	const groups = "sys/fs/cgroup"
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[0] == "0" && parts[1] == "":
			out = append(out, limitsUpwards(filepath.Join(root, groups), parts[2], c.limit, c.used)...)
			// Where both versions are in use, this is where the second one is.
			out = append(out, limitsUpwards(filepath.Join(root, groups, "unified"), parts[2], c.limit, c.used)...)
		case slices.Contains(strings.Split(parts[1], ","), c.name):
			out = append(out, limitsUpwards(filepath.Join(root, groups, parts[1]), parts[2], c.limit1, c.used1)...)
			if parts[1] != c.name {
				out = append(out, limitsUpwards(filepath.Join(root, groups, c.name), parts[2], c.limit1, c.used1)...)
			}
		}
	}
	return out
}

// upwards are the limits in a group's folder below base and in those above it.
func limitsUpwards(base, group, limit, used string) (out []groupLimit) {
	for path := filepath.Clean("/" + group); ; path = filepath.Dir(path) {
		if n := readNumber(filepath.Join(base, path, limit)); n > 0 {
			out = append(out, groupLimit{n, readNumber(filepath.Join(base, path, used))})
		}
		if path == "/" {
			return out
		}
	}
}

// number is the one in a file, 0 for none.
func readNumber(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// MachineThreads returns how many threads the control groups of this process may have, 0 for no
// limit. root is where the system's files are, "/".
func MachineThreads(root string) int {
	least := int64(0)
	for _, b := range threadGroups().bounds(root) {
		if least == 0 || b.limit < least {
			least = b.limit
		}
	}
	return int(least)
}
