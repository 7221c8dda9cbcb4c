package sandbox

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// mostThreads is how many a worker may have where the system leaves many. It
	// is far above what codecs and drivers start.
	mostThreads = 8192
	// fewestThreads is what one worker needs in any case.
	fewestThreads = 128
)

// Threads returns how many threads a worker may have: half of what this process, and those
// of its container or service, may have in all. A node that cannot start a thread ends.
func Threads() int {
	most := mostThreads
	if n := MachineThreads("/"); n > 0 {
		most = min(most, n/2)
	}
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err == nil && own.Cur/2 < uint64(most) {
		most = int(own.Cur / 2)
	}
	return max(most, fewestThreads)
}

// countedAlone reports whether the system counts this worker's threads apart from those
// of other users' processes and of the node: it is, or becomes, a user of its own.
func countedAlone(o Options) bool {
	if o.User != 0 {
		return true
	}
	b, err := os.ReadFile("/proc/self/uid_map")
	fields := bytes.Fields(b)
	const everybody = "4294967295"
	return err == nil && len(fields) >= 3 && string(fields[2]) != everybody
}
