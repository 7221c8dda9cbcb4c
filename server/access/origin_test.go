package access_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tuttinode/tutti/server/access"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		listen, host string
		allowed      bool
	}{
		{"127.0.0.1:9935", "evil.example", false}, {"127.0.0.1:9935", "localhost.evil.example", false},
		{"127.0.0.1:9935", "", false},
		{"127.0.0.1:9935", "192.0.2.1", false}, {"127.0.0.1:9935", "127.0.0.1.nip.example", false},
		{"127.0.0.1:9935", "localhost", true}, {"127.0.0.1:9935", "LOCALHOST:1", true},
		{"127.0.0.1:9935", "127.0.0.9:9935", true},
		{"127.0.0.1:9935", "[::1]:9935", true}, {"127.0.0.1:9935", "media.example.", true},
		{":9935", "192.0.2.1:9935", true}, {":9935", "evil.example", false},
		{"node.internal:9935", "node.internal", true},
		{"/run/tutti.sock", "localhost", true}, {"/run/tutti.sock", "run", false},
	} {
		if got := access.NewHosts(row.listen, []string{"media.example"}).Allow(row.host); got != row.allowed {
			t.Errorf("listening on %s, host %q: %v", row.listen, row.host, got)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, value        string
		foreign, forwarded bool
	}{
		{"", "", false, false}, {"User-Agent", "curl", false, false}, {"Accept", "*/*", false, false},
		{"Origin", "http://localhost:9935", false, false}, {"Origin", "http://localhost:1", true, false},
		{"Origin", "null", true, false},
		{"Origin", "http://%zz", true, false}, {"Sec-Fetch-Site", "none", false, false},
		{"Sec-Fetch-Site", "same-site", true, false},
		{"X-Forwarded-For", "", false, true}, {"x-forwarded-proto", "https", false, true},
		{"Forwarded", "for=_x", false, true},
		{"via", "1.1 x", false, true}, {"X-REAL-IP", "127.0.0.1", false, true},
		{"CF-Connecting-IP", "::1", false, true}, {"Livepeer-Runner-Route", "r", false, true},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:9935/", nil)
		if row.name != "" {
			r.Header.Set(row.name, row.value)
		}
		if access.CrossSite(r) != row.foreign || access.Forwarded(r) != row.forwarded {
			t.Errorf("%s %q: foreign %v, forwarded %v", row.name, row.value, access.CrossSite(r), access.Forwarded(r))
		}
	}
}
