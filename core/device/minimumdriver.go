package device

import (
	"strconv"
	"strings"
)

// MinimumDriver is the oldest driver for Linux that has what this release's interface
// to encoders asks for: version 12.1 of it. GPUs that only decode do without.
const MinimumDriver = "530.41.03"

// TooOld reports whether the driver is older than MinimumDriver. A version that
// cannot be read is not: the start-up test will tell.
func (d Driver) TooOld() bool { return older(d.Version, MinimumDriver) }

// older compares versions of numbers and dots.
func older(version, least string) bool {
	have, ok := numbers(version)
	want, _ := numbers(least)
	if !ok {
		return false
	}
	for i, w := range want {
		if i >= len(have) {
			return w > 0
		}
		if have[i] != w {
			return have[i] < w
		}
	}
	return false
}

func numbers(version string) (out []int, ok bool) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}
