//go:build unix

package process

import (
	"os"
	"strings"
	"syscall"
)

// noUpgrade is why the system does not let another process take this one's place, "" where
// it does.
const noUpgrade = ""

// stopSignals, reloadSignals and upgradeSignals are those that the node attends to. Read-only.
var (
	stopSignals    = []os.Signal{os.Interrupt, syscall.SIGTERM}
	reloadSignals  = []os.Signal{syscall.SIGHUP}
	upgradeSignals = []os.Signal{syscall.SIGUSR2}
)

// pair returns a line between two processes.
func pair() (ours, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "successor"), os.NewFile(uintptr(fds[1]), "predecessor"), nil
}

// unblock makes sockets again what starting a process with them has changed: calls on
// them do not wait, in this process as in the other.
func unblock(files []*os.File) {
	for _, f := range files {
		_ = syscall.SetNonblock(int(f.Fd()), true)
	}
}

// containerInit reports whether a process is a container's first one that only waits for
// its child.
func containerInit(pid int) bool {
	if pid != 1 {
		return false
	}
	name, _ := os.ReadFile("/proc/1/comm")
	switch strings.TrimSpace(string(name)) {
	case "tini", "docker-init", "dumb-init", "catatonit":
		return true
	}
	return false
}
