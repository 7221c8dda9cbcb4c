//go:build unix

package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic returns the time by the clock that a service manager reads too.
func monotonic() (time.Duration, bool) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return time.Duration(now.Nano()), err == nil
}
