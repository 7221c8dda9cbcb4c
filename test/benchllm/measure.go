package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

// resident is what processes hold in memory, in bytes.
func resident(pids []int) (sum int64) {
	for _, pid := range pids {
		sum += procfs.Resident(pid)
	}
	return sum
}

// ratio prints a figure, its peer's and their ratio.
func (s settings) ratio(what, unit string, ours, theirs, asked float64) {
	s.sheet.Compare(figures.Lower, what, unit, ours, theirs, ours/theirs, asked)
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
