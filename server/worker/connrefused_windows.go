package worker

import "golang.org/x/sys/windows"

// errRefused is how a connection fails to an address at which no process listens. The
// syscall package's own ECONNREFUSED is an invented number here.
const errRefused = windows.WSAECONNREFUSED
