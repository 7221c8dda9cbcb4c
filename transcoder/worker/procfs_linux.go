package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// residentBytes is the memory that a process uses, 0 when it is gone. It is
// read here and not asked of the child, which would be free to lie.
func residentBytes(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
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
