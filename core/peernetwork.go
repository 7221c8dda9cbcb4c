package core

import "net/netip"

// The bits of an address that its owner does not choose itself: of one IPv6 network, and of
// the larger networks that owners often have.
const (
	networkBits = 64
	siteBits6   = 48
	siteBits4   = 24
)

// PeerOf returns the network of an address; the zero Prefix for the zero Addr.
func PeerOf(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() && !addr.IsLoopback() {
		return prefix(addr, networkBits)
	}
	return prefix(addr, addr.BitLen())
}

// PeerSiteOf returns the larger network that the owner of an address may have: the /48 of an IPv6
// address, the /24 of an IPv4 one; the zero Prefix for the zero Addr.
func PeerSiteOf(addr netip.Addr) netip.Prefix {
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

// PeerName returns a peer by the text of its address, with or without a port. Text that is no
// address names a peer of its own.
func PeerName(text string) string { return named(text, PeerOf) }

// PeerSite is SiteOf in the same form.
func PeerSite(text string) string { return named(text, PeerSiteOf) }

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
