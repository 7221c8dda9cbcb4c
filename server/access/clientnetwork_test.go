package access_test

import (
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/server/access"
)

// TestClients: one client has one name, also where it has many addresses.
func TestClients(t *testing.T) {
	t.Parallel()
	for peer, want := range map[string]struct {
		network string
		own     bool
	}{
		"192.0.2.7:1000":              {"192.0.2.7", false},
		"[::ffff:192.0.2.7]:1000":     {"192.0.2.7", false},
		"[2001:db8:1:2:3:4:5:6]:1000": {"2001:db8:1:2::/64", false},
		"[2001:db8:1:2::1]:2000":      {"2001:db8:1:2::/64", false},
		"[fe80::1%eth0]:1000":         {"fe80::/64", false},
		"127.0.0.1:1000":              {"127.0.0.1", true},
		"[::1]:1000":                  {"::1", true},
		"[::ffff:127.0.0.1]:1000":     {"127.0.0.1", true},
		"@":                           {"@", false},
	} {
		if network, own := access.Client(&http.Request{RemoteAddr: peer}); network != want.network || own != want.own {
			t.Errorf("%s: %s, %v", peer, network, own)
		}
	}
}
