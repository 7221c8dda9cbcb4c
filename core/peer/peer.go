// Package peer says what counts as one peer of the network where nothing is known of it
// but its address: an IPv4 address, or the /64 of an IPv6 address, whose owner has all of
// it. Whatever is bounded or remembered by a remote address uses this package, so that one
// owner of a network is one peer, however many addresses it uses.
//
// It decides nothing about a peer, and knows no accounts.
package peer

import "net/netip"

// The bits of an address that its owner does not choose itself: of one IPv6 network, and of
// the larger networks that owners often have.
const (
	networkBits = 64
	siteBits6   = 48
	siteBits4   = 24
)

// Of is the network of an address; the zero Prefix for the zero Addr.
func Of(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() && !addr.IsLoopback() {
		return prefix(addr, networkBits)
	}
	return prefix(addr, addr.BitLen())
}

// SiteOf is the larger network that the owner of an address may have: the /48 of an IPv6
// address, the /24 of an IPv4 one; the zero Prefix for the zero Addr.
func SiteOf(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		return prefix(addr, siteBits6)
	}
	return prefix(addr, siteBits4)
}

func prefix(addr netip.Addr, bits int) netip.Prefix {
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// Name is a peer by the text of its address, with or without a port. Text that is no
// address names a peer of its own.
func Name(text string) string { return named(text, Of) }

// Site is SiteOf in the same form.
func Site(text string) string { return named(text, SiteOf) }

func named(text string, of func(netip.Addr) netip.Prefix) string {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		port, err := netip.ParseAddrPort(text)
		if err != nil {
			return text
		}
		addr = port.Addr()
	}
	p := of(addr)
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}
