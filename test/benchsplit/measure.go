package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// available is the memory that could still be had, in megabytes.
func available() float64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb * 1024 / 1e6
		}
	}
	return 0
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
