package worker

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// watchful makes the kernel give a connection up when what was sent is not confirmed
// for silence.
func watchful(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
