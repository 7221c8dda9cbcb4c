package peer_test

import (
	"net/netip"
	"testing"

	"github.com/tuttinode/tutti/core/peer"
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
		if got := peer.Name(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := peer.Of(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address: %v", got)
	}
}

func TestSites(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.0/24", "::ffff:192.0.2.7": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48",
		"fe80::1%eth0": "fe80::/48",
	} {
		if got := peer.SiteOf(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"192.0.2.7:8935": "192.0.2.0/24", "[2001:db8:1:2::3]:1": "2001:db8:1::/48", "": "",
	} {
		if got := peer.Site(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if ctx := peer.With(t.Context(), "a"); peer.For(ctx) != "a" || peer.For(t.Context()) != "" {
		t.Error("it is not known on whose behalf")
	}
	if got := peer.SiteOf(netip.Addr{}); got != (netip.Prefix{}) {
		t.Errorf("no address: %v", got)
	}
}
