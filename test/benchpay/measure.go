package main

import (
	"fmt"
	"slices"
	"syscall"
	"time"
)

// cpu is what this process has used so far, user and system together.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return sorted[len(sorted)/2]
}

// micros is how many microseconds each of n took.
func micros(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / 1000 / float64(n) }

func (s settings) row(what, unit string, ours, theirs, ratio, asked float64) {
	fmt.Fprintf(s.out, "  %-44s %9.1f %9.1f %s %7.3f  (asked %.2f)\n", what, ours, theirs, unit, ratio, asked)
}
