//go:build unix && !linux

package batch

import "syscall"

// lockCommand locks for the process.
const lockCommand = syscall.F_SETLK
