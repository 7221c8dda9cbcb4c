//go:build !windows

package worker

import "syscall"

// errRefused is how a connection fails to an address at which no process listens.
const errRefused = syscall.ECONNREFUSED
