// Package procfs reads what Linux reports of other processes. Benchmarks and tests measure
// the programs that they start by it.
//
// It starts and stops nothing. Only packages below test import it.
package procfs

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Resident is a process's memory in bytes, shared pages counted in full; 0 when the
// process is gone.
func Resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
