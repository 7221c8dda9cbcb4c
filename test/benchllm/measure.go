package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/procfs"
)

// cpu is what processes have used so far, user and system together.
func cpu(pids []int) time.Duration {
	var sum time.Duration
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		// The name, in parentheses, may hold anything; the fields follow it.
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			continue
		}
		for _, f := range fields[11:13] {
			n, _ := strconv.ParseInt(f, 10, 64)
			// Linux counts these in hundredths of a second on every machine.
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}

// resident is what processes hold in memory, in bytes.
func resident(pids []int) (sum int64) {
	for _, pid := range pids {
		sum += procfs.Resident(pid)
	}
	return sum
}

// binary is the part of resident that are pages of the program's own file, which
// the system may drop and share.
func binary(pids []int) (sum int64) {
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), "RssFile:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			kb, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += kb * 1024
		}
	}
	return sum
}

func median(x []float64) float64 { return quantile(x, 0.5) }

func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(x))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func (s settings) row(what, unit string, ours, theirs, asked float64) {
	fmt.Fprintf(s.out, "  %-44s %9.1f %9.1f %s %7.2f  (asked %.2f)\n", what, ours, theirs, unit, ours/theirs, asked)
}
