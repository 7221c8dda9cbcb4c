//go:build unix

package fault

import "syscall"

// noSpace are a full disk and a quota that is used up.
var noSpace = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
