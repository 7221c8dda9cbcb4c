package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of all that its programs leave behind: a node that
// another has started in its place, say, which would keep the GPU's memory.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endChildren ends all children of this process, and theirs, which become its own. It
// returns the names of those that are still there at a time.
func endChildren(until time.Time) string {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		all := children(os.Getpid())
		var names []string
		for pid, name := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			if gone, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); gone != pid && err == nil {
				names = append(names, name)
			}
		}
		if len(all) == 0 || time.Now().After(until) {
			return strings.Join(names, ", ")
		}
		<-tick.C
	}
}

// children are the processes that a process is the parent of, with their names.
func children(of int) map[int]string {
	out := make(map[int]string)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name in brackets may hold anything, brackets too.
		begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
		if begin < 0 || end < begin {
			continue
		}
		fields := strings.Fields(string(text[end+1:]))
		pid, err := strconv.Atoi(strings.TrimSpace(string(text[:begin])))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(of) {
			out[pid] = string(text[begin+1 : end])
		}
	}
	return out
}
