package batch

import "golang.org/x/sys/unix"

// lockCommand locks for an open file: the lock does not end when the process closes another one.
const lockCommand = unix.F_OFD_SETLK
