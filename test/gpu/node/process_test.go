package node

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// workerCommand is the node's hidden command for media workers.
const workerCommand = "media-worker"

// mediaWorkers are the media workers of a node's process, by their ids.
func mediaWorkers(node int) (out []int) {
	for pid := range processes() {
		line, err := os.ReadFile(filepath.Join(procOf(pid), "cmdline"))
		if err != nil || !slices.Contains(strings.Split(string(line), "\x00"), workerCommand) {
			continue
		}
		if parent(pid) == node {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	return out
}

// processes are the ids of all processes that are there.
func processes() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		all, err := os.ReadDir("/proc")
		if err != nil {
			return
		}
		for _, e := range all {
			if pid, err := strconv.Atoi(e.Name()); err == nil && !yield(pid) {
				return
			}
		}
	}
}

func procOf(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }

// parent is 0 for a process that is gone, and for one that has ended and was not
// waited for.
func parent(pid int) int {
	text, err := os.ReadFile(filepath.Join(procOf(pid), "stat"))
	if err != nil {
		return 0
	}
	// The name in brackets may hold anything, brackets too.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 || fields[0] == "Z" {
		return 0
	}
	id, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return id
}

// openFiles is how many descriptors a process has open, 0 when that cannot be read.
func openFiles(pid int) int {
	all, err := os.ReadDir(filepath.Join(procOf(pid), "fd"))
	if err != nil {
		return 0
	}
	return len(all)
}
