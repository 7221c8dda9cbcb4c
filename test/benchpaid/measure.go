package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cpuOf is what a process has used so far, user and system together.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in parentheses, may hold anything; the fields follow it.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	var sum time.Duration
	for _, f := range fields[11:13] {
		n, _ := strconv.ParseInt(f, 10, 64) // hundredths of a second on every Linux
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// loadAverage is how many processes wanted a core in the last 1, 5 and 15 minutes.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], " ")
}

func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(x))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func median(x []float64) float64 { return quantile(x, 0.5) }

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
