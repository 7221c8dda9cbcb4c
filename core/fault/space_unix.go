//go:build unix

package fault

import "syscall"

// noSpace are a full disk and a quota that is used up.
func noSpace() []syscall.Errno { return []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT} }
