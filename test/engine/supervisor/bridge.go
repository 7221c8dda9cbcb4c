package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bridge is the network of place n: an interface of its own, because engines
// that shared one would give the same addresses twice.
type bridge struct{ n int }

func (b bridge) name() string { return fmt.Sprintf("tuttitest%d", b.n) }

// host is this machine's address in the bridge's network, 10.213.n.1 of 24 bits.
func (b bridge) host() [4]byte { return [4]byte{10, 213, byte(b.n), 1} }

// up makes the interface unless it is there and gives it its address.
func (b bridge) up() error {
	return control(func(socket int) error {
		name, err := unix.BytePtrFromString(b.name())
		if err != nil {
			return err
		}
		if err := call(socket, unix.SIOCBRADDBR, unsafe.Pointer(name)); err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("make network bridge: %w", err)
		}
		// The engine wants the address to be there before it starts.
		if err := b.set(socket, unix.SIOCSIFADDR, b.host()); err != nil {
			return fmt.Errorf("address of network bridge: %w", err)
		}
		if err := b.set(socket, unix.SIOCSIFNETMASK, [4]byte{255, 255, 255, 0}); err != nil {
			return fmt.Errorf("netmask of network bridge: %w", err)
		}
		if err := b.flags(socket, unix.IFF_UP); err != nil {
			return fmt.Errorf("network bridge up: %w", err)
		}
		return nil
	})
}

// poolSubnets is how many subnets of 24 bits an engine's networks have.
const poolSubnets = 256 / places

// pool is where the engine takes the networks from that containers ask for: 32 ranges, about
// as many as an engine has without being told, of 64 addresses each.
func (b bridge) pool() string { return fmt.Sprintf("base=10.214.%d.0/21,size=26", b.n*poolSubnets) }

// down removes the interface, and those of networks that a killed engine left.
func (b bridge) down() {
	_ = control(func(socket int) error {
		for _, name := range append(b.networks(), b.name()) {
			if err := removeBridge(socket, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// networks are the interfaces with an address of the pool.
func (b bridge) networks() (names []string) {
	all, _ := net.Interfaces()
	for _, i := range all {
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			n, ok := a.(*net.IPNet)
			if ok && bytes.HasPrefix(n.IP.To4(), []byte{10, 214}) && int(n.IP.To4()[2])/poolSubnets == b.n {
				names = append(names, i.Name)
			}
		}
	}
	return names
}

// removeBridge removes an interface, with the host's ends of containers' links that
// a killed engine left in it.
func removeBridge(socket int, name string) error {
	links, _ := os.ReadDir(filepath.Join("/sys/class/net", name, "brif"))
	for _, l := range links {
		remove(socket, l.Name())
	}
	remove(socket, name)
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	return call(socket, unix.SIOCBRDELBR, unsafe.Pointer(text))
}

// remove takes a link down; the kernel removes it with its container's end.
func remove(socket int, link string) {
	if request, err := unix.NewIfreq(link); err == nil {
		request.SetUint16(0)
		_ = unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
	}
}

func (b bridge) set(socket int, what uint, address [4]byte) error {
	request, err := unix.NewIfreq(b.name())
	if err != nil {
		return err
	}
	if err := request.SetInet4Addr(address[:]); err != nil {
		return err
	}
	return unix.IoctlIfreq(socket, what, request)
}

func (b bridge) flags(socket int, flags uint16) error {
	request, err := unix.NewIfreq(b.name())
	if err != nil {
		return err
	}
	request.SetUint16(flags)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// control runs f with a socket through which interfaces are set up.
func control(f func(socket int) error) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	return f(socket)
}

func call(socket int, request uint, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), uintptr(request), uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}
