package worker

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// usedBytes returns the memory that a process keeps from others, 0 when it is gone: pages
// that it has mapped, what of them lies on a disk, large ones, and the tables that lead
// to all of them, which are the most where they lead to nothing. When the first thread has
// ended, the system shows the memory at the threads that go on.
func usedBytes(pid int) int64 {
	path := fmt.Sprintf("/proc/%d/status", pid)
	if used, has := memoryIn(path); has {
		return used
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is valid
	for _, path := range threads {
		if used, has := memoryIn(path); has {
			return used
		}
	}
	return 0
}

// memoryIn returns the memory, in bytes, that a status file shows. has is false when it shows none, as that of
// a thread that has ended.
func memoryIn(path string) (used int64, has bool) {
	used = sumIn(path, "VmRSS:", "VmSwap:", "HugetlbPages:", "VmPTE:") << 10
	return used, used > 0
}

// threadsOf returns how many threads a process has, 0 when it is gone.
func threadsOf(pid int) int { return int(sumIn(fmt.Sprintf("/proc/%d/status", pid), "Threads:")) }

// sumIn returns the sum of the numbers that a status file of the system gives for these names. It is
// read here and not asked of the child, which would be free to lie.
func sumIn(path string, names ...string) (sum int64) {
	b, err := os.ReadFile(path)
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

// halted reports whether a process is stopped by a signal or traced. One that is about to end is not: its end says why.
func halted(pid int) bool { return bytes.IndexByte([]byte("Tt"), stateOf(pid)) >= 0 }

// stateOf returns the letter of a process's state, that of its first thread, 0 when it is gone.
func stateOf(pid int) byte {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The state follows the name, which is in parentheses and may hold any byte.
	i := bytes.LastIndexByte(b, ')')
	if i < 0 || i+2 >= len(b) {
		return 0
	}
	return b[i+2]
}

// signaled returns the signal that ended a process, 0 when none did.
func signaled(state *os.ProcessState) syscall.Signal {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}
