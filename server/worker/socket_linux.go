package worker

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// setSendTimeout makes the kernel close a connection if the peer does not acknowledge what was
// sent within silence.
func setSendTimeout(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
