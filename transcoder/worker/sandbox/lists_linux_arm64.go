package sandbox

import "golang.org/x/sys/unix"

// abi is the one that 64-bit programs use.
const abi = unix.AUDIT_ARCH_AARCH64

const statAt = unix.SYS_FSTATAT

// This architecture has no calls that newer ones replaced, with few exceptions.
var (
	oldCalls   []call
	oldPaths   = always(unix.SYS_RENAMEAT)
	oldOpening []call
	oldStarts  []call
)
