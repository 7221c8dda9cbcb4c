package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// usedBytes returns the memory that a process keeps from others, 0 when it is gone: pages
// that it has mapped, what of them lies on a disk, large ones, and the tables that lead
// to all of them, which are the most where they lead to nothing.
func usedBytes(pid int) int64 {
	return statusOf(pid, "VmRSS:", "VmSwap:", "HugetlbPages:", "VmPTE:") << 10
}

// threadsOf returns how many threads a process has, 0 when it is gone.
func threadsOf(pid int) int { return int(statusOf(pid, "Threads:")) }

// statusOf returns the sum of what the system says of a process under these names. It is
// read here and not asked of the child, which would be free to lie.
func statusOf(pid int, names ...string) (sum int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	// The program's name, which comes first, cannot hold a line's end that is none.
	for line := range strings.Lines(string(b)) {
		for _, name := range names {
			rest, ok := strings.CutPrefix(line, name)
			if fields := strings.Fields(rest); ok && len(fields) > 0 {
				n, _ := strconv.ParseInt(fields[0], 10, 64)
				sum += n
			}
		}
	}
	return sum
}

// leaderless reports whether a process's first thread has ended and others go on: the
// system then shows nothing of its memory. The threads of one that is killed end within
// an instant.
func leaderless(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	i := bytes.LastIndexByte(b, ')')
	return i >= 0 && i+2 < len(b) && b[i+2] == 'Z' && threadsOf(pid) > 1
}

// halted reports whether a process cannot answer: stopped by a signal, traced,
// dead, or gone.
func halted(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	// The state follows the name, which is in parentheses and may hold any byte.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 || i+2 >= len(b) {
		return true
	}
	return bytes.IndexByte([]byte("TtZXx"), b[i+2]) >= 0
}

// signalled returns the signal that ended a process, 0 when none did.
func signalled(state *os.ProcessState) syscall.Signal {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}
