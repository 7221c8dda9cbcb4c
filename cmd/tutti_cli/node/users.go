package node

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// States of a socket in the kernel's tables, and the number of one that no process has yet.
const (
	listens = "0A"
	noInode = "0"
)

// PortUsers returns the numbers of the users at the other end of a connection of this machine to
// itself: of the listening process, and of the one that accepted the connection, each user once. None is
// known where that end is on another machine or in a container. The kernel repeats lines of its tables
// while other sockets come and go.
func PortUsers(local, remote net.Addr) (ids []int) {
	here, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return nil
	}
	there, err := netip.ParseAddrPort(remote.String())
	if err != nil {
		return nil
	}
	return usersOf(append(sockets("/proc/net/tcp"), sockets("/proc/net/tcp6")...), bare(here), bare(there))
}

func usersOf(all []socket, ours, theirs netip.AddrPort) (ids []int) {
	for _, s := range all {
		if s.state != listens && s.inode != noInode && s.local == theirs && s.remote == ours {
			ids = append(ids, s.user)
		}
	}
	if at := listener(all, theirs); at != nil {
		ids = append(ids, at.user)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// listener returns the socket that gets connections to an address: one that listens there before one
// that listens at all addresses, and of those one of the address's own kind first.
func listener(all []socket, at netip.AddrPort) *socket {
	for _, one := range []netip.Addr{at.Addr(), zero(at.Addr().Is4()), zero(false)} {
		i := slices.IndexFunc(all, func(s socket) bool {
			return s.state == listens && s.local == netip.AddrPortFrom(one, at.Port())
		})
		if i >= 0 {
			return &all[i]
		}
	}
	return nil
}

func zero(four bool) netip.Addr {
	if four {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

func bare(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// socket is a line of the kernel's table.
type socket struct {
	local, remote netip.AddrPort
	state, inode  string
	user          int
}

// sockets reads a table; a line that cannot be read is left out.
func sockets(table string) (all []socket) {
	f, err := os.Open(table)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) <= 9 {
			continue
		}
		local, here := parseAddress(fields[1])
		remote, there := parseAddress(fields[2])
		user, err := strconv.Atoi(fields[7])
		if here && there && err == nil {
			all = append(all, socket{local, remote, fields[3], fields[9], user})
		}
	}
	return all
}

// parseAddress reads an address as the tables have it: words of 32 bits in the machine's order, and
// the port.
func parseAddress(text string) (at netip.AddrPort, ok bool) {
	words, digits, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(words)
	port, badPort := strconv.ParseUint(digits, 16, 16)
	if err != nil || badPort != nil || len(raw)%4 != 0 {
		return at, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	ip, ok := netip.AddrFromSlice(raw)
	return bare(netip.AddrPortFrom(ip, uint16(port))), ok
}
