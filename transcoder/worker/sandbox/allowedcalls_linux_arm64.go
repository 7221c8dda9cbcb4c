package sandbox

import "golang.org/x/sys/unix"

// abi is the one that 64-bit programs use.
const abi = unix.AUDIT_ARCH_AARCH64

const statAt = unix.SYS_FSTATAT

// This architecture has no calls that newer ones replaced, with few exceptions.
func oldCalls() []call { return nil }

func oldPaths() []call { return always(unix.SYS_RENAMEAT) }

func oldOpening() []call { return nil }

func oldStarts() []call { return nil }
