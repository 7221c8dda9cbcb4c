//go:build unix

package http1

import (
	"errors"
	"net"
	"syscall"
)

// peeker checks whether a socket has data, an end or an error, without reading or waiting.
// Each of them makes an idle connection unusable. It returns false if it cannot tell.
type peeker func() bool

func newPeeker(raw net.Conn) peeker {
	s, ok := raw.(syscall.Conn)
	if !ok {
		return func() bool { return false }
	}
	rc, err := s.SyscallConn()
	if err != nil {
		return func() bool { return false }
	}
	var one [1]byte
	var something bool
	look := func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		something = !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
		return true
	}
	return func() bool {
		if err := rc.Read(look); err != nil {
			return true // closed
		}
		return something
	}
}

// isReset reports whether the peer reset the connection.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
