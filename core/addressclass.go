package core

import (
	"net/netip"
	"slices"
)

// reserved are the networks that count as global but are not the internet. Read-only.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("100.64.0.0/10"),    // carriers' own
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments
	netip.MustParsePrefix("168.63.129.16/32"), // a cloud's platform, seen from its machines alone
	netip.MustParsePrefix("192.0.2.0/24"),     // documentation
	netip.MustParsePrefix("192.88.99.0/24"),   // IPv6 relays, out of use
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),  // documentation
	netip.MustParsePrefix("203.0.113.0/24"),   // documentation
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved
	netip.MustParsePrefix("::/96"),            // IPv4 inside IPv6, out of use
	netip.MustParsePrefix("::ffff:0:0:0/96"),  // IPv4 translated
	netip.MustParsePrefix("64:ff9b::/96"),     // IPv4 behind IPv6
	netip.MustParsePrefix("64:ff9b:1::/48"),   // the same, local
	netip.MustParsePrefix("100::/64"),         // discard
	netip.MustParsePrefix("2001::/32"),        // IPv4 inside tunnels
	netip.MustParsePrefix("2001:2::/48"),      // benchmarks
	netip.MustParsePrefix("2001:20::/28"),     // names without a place
	netip.MustParsePrefix("2001:db8::/32"),    // documentation
	netip.MustParsePrefix("2002::/16"),        // IPv4 inside IPv6
	netip.MustParsePrefix("3fff::/20"),        // documentation
	netip.MustParsePrefix("5f00::/16"),        // segment routing
	netip.MustParsePrefix("fec0::/10"),        // site-local
}

// PublicAddress reports whether an address is one of the internet at large.
func PublicAddress(ip netip.Addr) bool {
	if !ip.IsValid() || ip.Zone() != "" {
		return false
	}
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// sharedSpace is what providers use behind their own NAT. Source: RFC 6598. Read-only.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// RoutableAddress reports whether an address can belong to a machine on the internet: unlike PublicAddress it permits
// networks that are reserved for examples and tests, which reach no other machine.
func RoutableAddress(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !sharedSpace.Contains(ip)
}

// metadata are where clouds answer their machines about themselves, besides link-local addresses. Read-only.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("100.100.100.200/32"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("192.0.0.192/32"),
	netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"),
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::254/128"),
}

// MachineAddress reports whether an address is for this machine alone: in its own network, or a cloud's metadata, which
// often have credentials of the machine.
func MachineAddress(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLinkLocalUnicast() || slices.ContainsFunc(metadata, func(p netip.Prefix) bool { return p.Contains(ip) })
}
