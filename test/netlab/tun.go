package netlab

import (
	"os"

	"golang.org/x/sys/unix"
)

// openTUN makes a TUN device in the calling thread's namespace. What the namespace
// sends through it is read from the file, and the other way round.
func openTUN(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	req, err := unix.NewIfreq(name)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	req.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, req); err != nil {
		unix.Close(fd)
		return nil, err
	}
	// The runtime's poller waits for it, so that Close ends a Read.
	return os.NewFile(uintptr(fd), name), nil
}
