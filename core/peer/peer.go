// Package peer says what counts as one peer of the network where nothing is known of it
// but its address: an IPv4 address, or the /64 of an IPv6 address, whose owner has all of
// it. Whatever is bounded or remembered by a remote address uses this package, so that one
// owner of a network is one peer, however many addresses it uses.
//
// It decides nothing about a peer, and knows no accounts.
package peer

import "net/netip"

// networkBits are the bits of an IPv6 address that make a peer; the rest it chooses
// itself.
const networkBits = 64

// Of is the network of an address; the zero Prefix for the zero Addr.
func Of(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() && !addr.IsLoopback() {
		bits = networkBits
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// Name is a peer by the text of its address, with or without a port. Text that is no
// address names a peer of its own.
func Name(text string) string {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		port, err := netip.ParseAddrPort(text)
		if err != nil {
			return text
		}
		addr = port.Addr()
	}
	p := Of(addr)
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}
