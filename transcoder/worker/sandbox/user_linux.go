package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"
)

// keptForRoot are the capabilities that make a root of its own: to mount, and to find
// what is mounted where only the node's user may look.
const keptForRoot = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_DAC_READ_SEARCH

// renounce rules out that anything gives this process privileges, which filters of
// system calls require.
func renounce() error { return onAllThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0) }

// becomeUser changes the process to a user that owns no file, and keeps the capabilities
// that the other restrictions need.
func becomeUser(o Options) error {
	if o.User == 0 {
		return nil
	}
	user := uintptr(o.User)
	kept := uint32(0)
	if o.Mounts {
		kept = keptForRoot
	}
	steps := []struct {
		what string
		do   func() error
	}{
		{"keep capabilities", func() error { return onAllThreads(unix.SYS_PRCTL, unix.PR_SET_KEEPCAPS, 1, 0) }},
		{"leave groups", func() error { return onAllThreads(unix.SYS_SETGROUPS, 0, 0, 0) }},
		{"change group", func() error { return onAllThreads(unix.SYS_SETRESGID, user, user, user) }},
		{"change user", func() error { return onAllThreads(unix.SYS_SETRESUID, user, user, user) }},
		{"drop capabilities", func() error { return setCapabilities(kept) }},
		// Both end with a change of the user. A driver gives its threads names through
		// files in /proc, which are the process's own only while it may be looked at.
		{"end with the node", func() error {
			return onAllThreads(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0)
		}},
		{"own its files in /proc", func() error { return onAllThreads(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1, 0) }},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	return nil
}

// dropCapabilities empties the capability sets of every thread.
func dropCapabilities() error { return setCapabilities(0) }

// setCapabilities leaves every thread these capabilities at most, and none to give on.
func setCapabilities(kept uint32) error {
	// On the heap, where the collector does not move them while the call runs.
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := &[2]unix.CapUserData{{Effective: kept, Permitted: kept}}
	return onAllThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(data)), 0)
}

func onAllThreads(call, a, b, c uintptr) error {
	if _, _, errno := psx.Syscall6(call, a, b, c, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
