package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"syscall"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
)

// publicOnly refuses connections to private addresses, except in the networks of the operator's
// stores. An orchestrator names the URLs of its results; it must not make the gateway fetch data
// from behind the gateway's firewall and show it to players.
func publicOnly(stores fetchurl.Networks) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, c syscall.RawConn) error {
		err := stores.Control(network, address, c)
		if errors.Is(err, fetchurl.ErrNotPublic) {
			return fmt.Errorf("%w, not the orchestrator's own host, and in no network of -objectStoreNetworks", err)
		}
		return err
	}
}

// sameHost reports whether a result is at the orchestrator's own host.
func sameHost(result *url.URL, orchestrator string) bool {
	o, err := url.Parse(orchestrator)
	return err == nil && o.Hostname() == result.Hostname()
}

// DialFunc is the type of net.Dialer.DialContext.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// peerKey is the context's key for the address that an orchestrator's answer came from.
type peerKey struct{}

// DialRecordedPeer dials orchestrators by name, and results at an orchestrator's own host by the
// address that its answer came from: by now the name may resolve to an address behind the gateway's
// firewall.
func DialRecordedPeer(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if home, ok := ctx.Value(peerKey{}).(netip.Addr); ok {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			address = net.JoinHostPort(home.String(), port)
		}
		return dial(ctx, network, address)
	}
}

// recordPeer writes the address that a request is sent to into at.
func recordPeer(ctx context.Context, at *netip.Addr) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		*at = addressOf(c.Conn)
	}})
}

// SamePeerOnly sends a request to the address that an answer came from. A kept connection to
// another address that is not public is closed before anything is sent; the transport then makes a
// new one.
func SamePeerOnly(ctx context.Context, home netip.Addr) context.Context {
	ctx = context.WithValue(ctx, peerKey{}, home)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if at := addressOf(c.Conn); at != home && !core.PublicAddress(at) {
			_ = c.Conn.Close()
		}
	}})
}

// addressOf returns a connection's remote address; invalid if it is no IP address.
func addressOf(c net.Conn) netip.Addr {
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}
