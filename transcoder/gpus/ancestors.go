package gpus

import (
	"path/filepath"
	"strconv"
	"strings"
)

// maxAncestors bounds the walk to the root: process ids are reused, and may form a cycle
// while they are read.
const maxAncestors = 64

// descends reports whether a process is another, or a descendant of it.
func (h host) descends(pid, of int) bool {
	for range maxAncestors {
		if pid == of {
			return true
		}
		if pid <= 1 {
			return false
		}
		pid = h.parent(pid)
	}
	return false
}

// parent is 0 for a process that is gone.
func (h host) parent(pid int) int {
	stat := h.text(filepath.Join(h.root, "proc", strconv.Itoa(pid)), "stat")
	// The name in brackets may hold anything, brackets too.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil || n < 0 {
		return 0
	}
	return n
}
