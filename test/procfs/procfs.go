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
	"time"
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

// CPU is what processes have used so far, user and system together. Those that are gone count nothing.
func CPU(pids ...int) (sum time.Duration) {
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		// The name, in parentheses, may hold anything; the fields follow the last of them.
		_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			continue
		}
		for _, f := range fields[11:13] {
			n, _ := strconv.ParseInt(f, 10, 64)
			sum += time.Duration(n) * 10 * time.Millisecond // Linux counts in hundredths of a second on every machine
		}
	}
	return sum
}

// Load is how many processes wanted a core in the last 1, 5 and 15 minutes.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], " ")
}
