package core_test

import (
	"net/netip"
	"testing"

	"github.com/tuttinode/tutti/core"
)

func TestPublicAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "::1": false, "::ffff:127.0.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "::": false,
		"10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false,
		"fd00::1": false, "fe80::1": false, "fec0::1": false, "224.0.0.1": false, "255.255.255.255": false,
		"198.18.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false,
	} {
		if got := core.PublicAddress(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
