package admission

import (
	"net"
	"net/netip"

	"github.com/tuttinode/tutti/core"
)

// The bound of a site's unknown addresses together is this multiple of the bound of one:
// owners of IPv6 networks often have a whole /48, in IPv4 some addresses of a /24.
const (
	factor6, factor4    = 4, 16
	loopback6, loopback = "::1", "127.0.0.1"
)

// local reports whether an address is a loopback address.
func local(ip netip.Addr) bool { return ip.String() == loopback || ip.String() == loopback6 }

// addressOf returns a peer's IP address; the zero Addr for what is none.
func addressOf(addr net.Addr) netip.Addr {
	if addr == nil {
		return netip.Addr{}
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// NetworkOf returns what counts as one address of a request's RemoteAddr; the zero Prefix for
// none.
func NetworkOf(remoteAddr string) netip.Prefix {
	at, err := netip.ParseAddrPort(remoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	return core.PeerOf(at.Addr())
}

// siteOf returns the site of the address, and the multiple for its bound.
func siteOf(ip netip.Addr) (_ netip.Prefix, factor int) {
	if ip.Is6() {
		return core.PeerSiteOf(ip), factor6
	}
	return core.PeerSiteOf(ip), factor4
}

// peerLocked returns the peer of an address.
func (g *Gate) peerLocked(addr net.Addr) *peer {
	ip := addressOf(addr)
	key, listed := core.PeerOf(ip), g.listed(ip)
	if listed {
		key = netip.PrefixFrom(ip, ip.BitLen()) // its neighbors in the same network are not
	}
	if p := g.peers[key]; p != nil {
		return p
	}
	if len(g.peers) >= g.sweepAt {
		g.sweepLocked()
	}
	p := &peer{gate: g, site: g.siteLocked(ip), listed: listed, free: g.opt.LocalFree && local(ip),
		bucket: bucket{at: g.opt.Now(), fresh: true}, caused: bucket{at: g.opt.Now(), fresh: true}}
	p.site.peers++
	g.peers[key] = p
	return p
}

// listed reports whether the operator configured the address as known. The list is short, as
// it comes from the command line.
func (g *Gate) listed(ip netip.Addr) bool {
	for _, n := range g.opt.Known {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

func (g *Gate) siteLocked(ip netip.Addr) *site {
	key, factor := siteOf(ip)
	s := g.sites[key]
	if s == nil {
		now := g.opt.Now()
		s = &site{gate: g, factor: factor, bucket: bucket{at: now, fresh: true}, caused: bucket{at: now, fresh: true}}
		g.sites[key] = s
	}
	return s
}

// sweepLocked removes peers and sites without state.
func (g *Gate) sweepLocked() {
	for key, p := range g.peers {
		if p.forgettableLocked() {
			p.site.peers--
			delete(g.peers, key)
		}
	}
	for key, s := range g.sites {
		if s.forgettableLocked() {
			delete(g.sites, key)
		}
	}
	g.sweepAt = max(minSweep, 2*len(g.peers))
}
