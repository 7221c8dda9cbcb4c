package upstream

import (
	"errors"
	"fmt"
	"net/url"
	"syscall"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// guarded refuses connections to addresses that only the gateway can reach, but for
// those of the operator's stores. An orchestrator names the URLs of its results; it must
// not make the gateway fetch, and show to players, what stands behind the gateway's firewall.
func guarded(stores fetchurl.Networks) func(network, address string, c syscall.RawConn) error {
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
