package main

import (
	"net"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rtentry is the kernel's struct of that name, as SIOCADDRT takes it.
type rtentry struct {
	_                     uint64
	dst, gateway, genmask unix.RawSockaddrInet4
	flags                 uint16
	_                     [30]byte
	metric                int16
	_                     [6]byte
	dev                   uintptr
	_                     [24]byte
}

const routeUp, routeGateway = 1, 2

func setGateway(fd int, gateway net.IP) error {
	r := rtentry{flags: routeUp | routeGateway}
	r.dst.Family, r.gateway.Family, r.genmask.Family = unix.AF_INET, unix.AF_INET, unix.AF_INET
	copy(r.gateway.Addr[:], gateway.To4())
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCADDRT,
		uintptr(unsafe.Pointer(&r))); errno != 0 {
		return errno
	}
	return nil
}
