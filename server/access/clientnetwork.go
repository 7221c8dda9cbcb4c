package access

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/tuttinode/tutti/core"
)

// Client identifies the client of a request's connection: an IPv4 address, or the /64 of an
// IPv6 one, as one client usually has all its addresses. own means that it is on this
// machine.
func Client(r *http.Request) (network string, own bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr, false
	}
	ip := peer.Addr().Unmap().WithZone("")
	return core.PeerName(ip.String()), ip.IsLoopback()
}

// Host returns an address without its port. An address without a port is returned as it is.
func Host(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}
