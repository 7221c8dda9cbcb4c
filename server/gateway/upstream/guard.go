package upstream

import (
	"fmt"
	"net/netip"
	"net/url"
	"syscall"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// publicOnly refuses connections to addresses that only the gateway can reach.
// An orchestrator names the URLs of its results; it must not make the gateway
// fetch, and show to players, what stands behind the gateway's firewall.
func publicOnly(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !fetchurl.Public(ap.Addr()) {
		return fmt.Errorf("%s is not a public address, and not the orchestrator's own host", ap.Addr().Unmap())
	}
	return nil
}

// sameHost reports whether a result is at the orchestrator's own host.
func sameHost(result *url.URL, orchestrator string) bool {
	o, err := url.Parse(orchestrator)
	return err == nil && o.Hostname() == result.Hostname()
}
