package upstream

import (
	"errors"
	"fmt"
	"net/url"
	"syscall"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// publicOnly refuses connections to addresses that only the gateway can reach.
// An orchestrator names the URLs of its results; it must not make the gateway
// fetch, and show to players, what stands behind the gateway's firewall.
func publicOnly(network, address string, c syscall.RawConn) error {
	err := fetchurl.PublicOnly(network, address, c)
	if errors.Is(err, fetchurl.ErrNotPublic) {
		return fmt.Errorf("%w, and not the orchestrator's own host", err)
	}
	return err
}

// sameHost reports whether a result is at the orchestrator's own host.
func sameHost(result *url.URL, orchestrator string) bool {
	o, err := url.Parse(orchestrator)
	return err == nil && o.Hostname() == result.Hostname()
}
