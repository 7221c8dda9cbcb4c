package core_test

import (
	"net/netip"
	"testing"

	"github.com/tuttinode/tutti/core"
)

func TestPeers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "192.0.2.7:8935": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"[::ffff:192.0.2.7]:1":   "192.0.2.7",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1:2::/64",
		"[2001:db8:1:2::9]:8935": "2001:db8:1:2::/64",
		"fe80::1%eth0":           "fe80::/64", "[fe80::1%eth0]:80": "fe80::/64",
		"::1": "::1", "": "", "pipe": "pipe",
	} {
		if got := core.PeerName(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := core.PeerOf(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address: %v", got)
	}
}

func TestSites(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.0/24", "::ffff:192.0.2.7": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48",
		"fe80::1%eth0": "fe80::/48",
	} {
		if got := core.PeerSiteOf(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"192.0.2.7:8935": "192.0.2.0/24", "[2001:db8:1:2::3]:1": "2001:db8:1::/48", "": "",
	} {
		if got := core.PeerSite(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if ctx := core.WithPeer(t.Context(), "a"); core.PeerFor(ctx) != "a" || core.PeerFor(t.Context()) != "" {
		t.Error("it is not known on whose behalf")
	}
	if got := core.PeerSiteOf(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address: %v", got)
	}
}
