package fetchurl

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// ErrNotPublic is in the errors of PublicOnly.
var ErrNotPublic = errors.New("not a public address")

// PublicOnly is the Control of a net.Dialer that connects to the internet alone. It
// looks at the address that is really dialled, so that no name and no redirection
// leads elsewhere. Its errors name the address: they are for our own log.
func PublicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !Public(at.Addr()) {
		return fmt.Errorf("%s is %w", at.Addr().Unmap(), ErrNotPublic)
	}
	return nil
}
