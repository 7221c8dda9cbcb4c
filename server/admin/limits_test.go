package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin"
)

// What is too large is refused before it is read whole.
func TestLargeRequests(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) { old(o); o.Listen = "127.0.0.1:0" })
	client, stop := start(t, st, byAddr)
	defer stop()
	long := strings.Repeat("x", 70<<10)
	send := func(method, path, body, header string) int {
		t.Helper()
		req, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+st.token)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Long", header)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	for _, tt := range []struct {
		name, method, path, body, header string
		want                             int
	}{
		{"a header", "GET", "/IsOrchestrator", "", long, 431},
		{"a path", "GET", "/IsOrchestrator?" + long, "", "", 431},
		{"JSON", "POST", adminapi.PathSettings, `{"maxSessions":"` + long + `"}`, "", 400},
		{"a form", "POST", "/setMaxSessions", "maxSessions=" + long, "", 400},
		{"the form of a read", "POST", "/unbondingLocks", "withdrawable=" + long, "", 400},
		{"nothing", "POST", "/setMaxSessions", "maxSessions=5", "", 200},
	} {
		if got := send(tt.method, tt.path, tt.body, tt.header); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if len(st.limits) != 1 {
		t.Errorf("limits %v", st.limits)
	}
}
