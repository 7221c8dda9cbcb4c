package fetchurl

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"github.com/tuttinode/tutti/core"
)

// ErrNotPublic is in the errors of PublicOnly and of Networks.Control.
var ErrNotPublic = errors.New("not a public address")

// PublicOnly is the Control of a net.Dialer that connects to the internet only. It
// looks at the address that is really dialed, so that no name and no redirect
// reaches another network. Its errors name the address: they are for our own log.
func PublicOnly(network, address string, c syscall.RawConn) error {
	return Networks(nil).Control(network, address, c)
}

// Networks are networks of the operator's that may be dialed besides the internet.
type Networks []netip.Prefix

// Contain reports whether an address is in one of them.
func (n Networks) Contain(ip netip.Addr) bool {
	return slices.ContainsFunc(n, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Control is PublicOnly that lets the networks' addresses pass as well.
func (n Networks) Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if core.PublicAddress(ip) || n.Contain(ip) {
		return nil
	}
	return fmt.Errorf("%s is %w", ip, ErrNotPublic)
}
