package doctorcmd

import (
	"context"
	"net"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// checkBind returns why an address cannot be listened on, nil if it can.
func checkBind(_ context.Context, addr string) error {
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return err
	}
	if four := at.IP.To4(); four != nil {
		return bind(unix.AF_INET, &unix.SockaddrInet4{Port: at.Port, Addr: [4]byte(four)})
	}
	six := unix.SockaddrInet6{Port: at.Port}
	copy(six.Addr[:], at.IP)
	err = bind(unix.AF_INET6, &six)
	if at.IP == nil && (err == unix.EAFNOSUPPORT || err == unix.EADDRNOTAVAIL) {
		return bind(unix.AF_INET, &unix.SockaddrInet4{Port: at.Port})
	}
	return err
}

// bind binds a socket to an address for a moment. It does not listen, so that a process which
// starts in that moment still gets the address.
func bind(family int, at unix.Sockaddr) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	return unix.Bind(fd, at)
}

// socketUnits returns the enabled systemd units, below a root directory, that make the service
// manager open the node's ports.
func socketUnits(root string) []string {
	units, _ := filepath.Glob(filepath.Join(root, "etc/systemd/system/sockets.target.wants/tutti*.socket"))
	return units
}
