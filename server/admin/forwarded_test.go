package admin_test

import (
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

// What a proxy or a tunnel of this machine brings comes from elsewhere: it needs the
// token for everything, and never gets in without as the existing node's tools may.
func TestProxiesAreElsewhere(t *testing.T) {
	t.Parallel()
	st := newStation(t, old)
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "CF-Connecting-IP"} {
		for _, row := range []struct{ method, path string }{
			{"GET", "/status"}, {"GET", "/currentRound"}, {"GET", adminapi.PathNode},
			{"POST", "/setMaxSessions?maxSessions=5"},
		} {
			if got := ask(st.Server, row.method, row.path, "", header,
				"127.0.0.1"); got.Code != http.StatusUnauthorized {
				t.Errorf("%s: %s %s: %d", header, row.method, row.path, got.Code)
			}
			got := ask(st.Server, row.method, row.path, "", header, "127.0.0.1", "Authorization", "Bearer "+st.token)
			if got.Code != http.StatusOK {
				t.Errorf("%s with the token: %s %s: %d %s", header, row.method, row.path, got.Code, got.Body)
			}
		}
		if got := ask(st.Server, "GET", adminapi.PathHealthy, "", header, "192.0.2.1"); got.Code != http.StatusOK {
			t.Errorf("%s: a balancer's probe: %d", header, got.Code)
		}
	}
}
