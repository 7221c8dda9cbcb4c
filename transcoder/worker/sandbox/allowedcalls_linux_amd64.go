package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// abi is the one that 64-bit programs use. 32-bit ones have another, and x32 has the
// same with other numbers.
const abi = unix.AUDIT_ARCH_X86_64

const statAt = unix.SYS_NEWFSTATAT

// oldCalls are in serving.
func oldCalls() []call { return always(unix.SYS_EPOLL_WAIT, unix.SYS_POLL, unix.SYS_TIME) }

// oldPaths are in driving, each next to the call that replaced it.
func oldPaths() []call {
	return slices.Concat(always(
		unix.SYS_OPEN, unix.SYS_ACCESS, unix.SYS_READLINK, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_GETDENTS,
		unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT,
		unix.SYS_PIPE, unix.SYS_DUP2, unix.SYS_SELECT, unix.SYS_EVENTFD,
	))
}

func oldOpening() []call {
	return always(unix.SYS_ARCH_PRCTL, unix.SYS_GETRLIMIT, unix.SYS_SYMLINK, unix.SYS_CHMOD)
}

func oldStarts() []call { return always(unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MKNOD, unix.SYS_CHOWN) }
