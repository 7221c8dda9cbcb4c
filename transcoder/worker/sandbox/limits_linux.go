package sandbox

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// Descriptors a worker may hold. GPU drivers open several per context.
const (
	filesCPU = 256
	filesGPU = 4096
)

func setLimits(o Options) error {
	files := uint64(filesCPU)
	if o.GPU {
		files = filesGPU
	}
	threads := mostThreads
	if countedAlone(o) {
		threads = Threads()
	}
	errs := []error{
		limit(unix.RLIMIT_CORE, 0), // a core dump would hold the media of all streams
		limit(unix.RLIMIT_NOFILE, files),
		limit(unix.RLIMIT_NPROC, uint64(threads)),
	}
	if o.Memory > 0 {
		// RLIMIT_AS would not do: the Go runtime and drivers reserve address space
		// far beyond what they use. RLIMIT_DATA counts writable private memory.
		errs = append(errs, limit(unix.RLIMIT_DATA, uint64(o.Memory)))
	}
	return errors.Join(errs...)
}

// limit lowers a resource limit; one that is lower already stays.
func limit(resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

// lowerPriority changes every thread: niceness is a thread's property here, and
// threads started later inherit it.
func lowerPriority(nice int) error {
	if nice == 0 {
		return nil
	}
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	// The system call returns 20 - nice.
	want := min(19, 20-now+nice)
	if _, _, errno := psx.Syscall3(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, 0, uintptr(want)); errno != 0 {
		return errno
	}
	return nil
}

// outOfMemoryScore makes a worker the first choice of the kernel when there is no memory
// left, before the node (0 or less).
const outOfMemoryScore = 800

func offerToOOMKiller() error { return raiseScore("self") }

func raiseScore(process string) error {
	return os.WriteFile("/proc/"+process+"/oom_score_adj", []byte(strconv.Itoa(outOfMemoryScore)), 0)
}

// KeepScore does from outside what a worker does first for itself: written by a node with
// the capability SYS_RESOURCE, the score cannot be lowered from inside any more. Where that
// is not to be had, ScoreLowered is what tells.
func KeepScore(pid int) { _ = raiseScore(strconv.Itoa(pid)) }

// ScoreLowered reports whether a worker is no longer the kernel's first choice. A GPU's
// driver needs the folder in which a thread can change that.
func ScoreLowered(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/oom_score_adj")
	if err != nil {
		return false // it has ended
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return err == nil && score < outOfMemoryScore
}

// closeFilesAbove closes what a careless library left open across exec. The Go
// runtime's own descriptors are anonymous inodes and stay.
func closeFilesAbove(keep int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= keep {
			continue
		}
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || strings.HasPrefix(target, "anon_inode:") {
			continue
		}
		unix.Close(fd)
	}
	return nil
}
