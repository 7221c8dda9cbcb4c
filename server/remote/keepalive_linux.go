package remote

import (
	"net"

	"golang.org/x/sys/unix"
)

// limitUnheard breaks the connection when what was sent is not acknowledged: probes
// are only sent where nothing else is on its way.
func limitUnheard(tcp *net.TCPConn) error {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unheard.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return set
}
