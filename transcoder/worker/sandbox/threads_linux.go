package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// mostThreads is how many a worker may have where the system leaves many. It
	// is far above what codecs and drivers start.
	mostThreads = 8192
	// fewestThreads is what one worker needs in any case.
	fewestThreads = 128
)

// Threads is how many threads a worker may have: half of what this process, and those
// of its container or service, may have in all. A node that cannot start a thread ends.
func Threads() int {
	most := mostThreads
	if n := groupLimit("/"); n > 0 {
		most = min(most, n/2)
	}
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err == nil && own.Cur/2 < uint64(most) {
		most = int(own.Cur / 2)
	}
	return max(most, fewestThreads)
}

// groupLimit is how many threads the control groups of this process may have, 0 for no
// limit. root is where the system's files are.
func groupLimit(root string) int {
	b, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0
	}
	least := 0
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base := filepath.Join(root, "sys/fs/cgroup")
		switch {
		case parts[0] == "0" && parts[1] == "":
		case parts[1] == "pids":
			base = filepath.Join(base, "pids")
		default:
			continue
		}
		// Those above hold as well. What is not shown here may be missing below.
		for path := filepath.Clean("/" + parts[2]); ; path = filepath.Dir(path) {
			if n := limitIn(filepath.Join(base, path, "pids.max")); n > 0 && (least == 0 || n < least) {
				least = n
			}
			if path == "/" {
				break
			}
		}
	}
	return least
}

// limitIn is the number in a file, 0 for none.
func limitIn(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(b)))
	return n
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
