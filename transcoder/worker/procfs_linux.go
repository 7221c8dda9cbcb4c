package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// used are the parts of a process's memory that it keeps from others: pages that it has
// mapped, what of them lies on a disk, large ones, and the tables that lead to all of
// them, which are the most where they lead to nothing.
var used = [][]byte{[]byte("VmRSS:"), []byte("VmSwap:"), []byte("HugetlbPages:"), []byte("VmPTE:")}

// usedBytes is the memory that a process uses, 0 when it is gone. It is
// read here and not asked of the child, which would be free to lie.
func usedBytes(pid int) (total int64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	// The name, which comes first, cannot hold a line's end that is none.
	for line := range bytes.Lines(b) {
		for _, name := range used {
			rest, ok := bytes.CutPrefix(line, name)
			if !ok {
				continue
			}
			if fields := bytes.Fields(rest); len(fields) > 0 {
				n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
				total += n << 10
			}
		}
	}
	return total
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
