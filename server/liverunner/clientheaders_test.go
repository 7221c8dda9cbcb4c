package liverunner_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAClientNamesNoOtherSession: gateways to applications (CGI, WSGI) read an underscore in a header's name as a
// hyphen, so that a client could name a session, and where it comes from, besides the node.
func TestAClientNamesNoOtherSession(t *testing.T) {
	t.Parallel()
	n := start(t, "")
	seen := make(chan http.Header, 1)
	runner := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			seen <- r.Header
		}
	}))
	t.Cleanup(runner.Close)
	path := n.session(t, n.register(t, static("a", runner.URL, ""))[0])
	res := n.request(t, "GET", path+"/app/x", "", "Livepeer_Session_Id", "session_other",
		"livepeer_session-token", "theirs", "LIVEPEER-RUNNER_ROUTE", "x", "Livepeer-Session_Control", "x",
		"Livepeer_Payment", "x", "X_Forwarded_For", "127.0.0.1", "X-Forwarded_Proto", "https", "X_Real_Name", "kept",
		"X-Request-Id", "kept")
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	got := make(map[string][]string)
	for name, values := range <-seen {
		name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		got[name] = append(got[name], values...)
	}
	if id := got["livepeer-session-id"]; len(id) != 1 || !strings.HasSuffix(path, id[0]) {
		t.Error("sessions", id)
	}
	for name, values := range got {
		if strings.HasPrefix(name, "livepeer-") && len(values) != 1 || strings.HasPrefix(name, "x-forwarded") ||
			name == "livepeer-payment" {
			t.Error(name, values)
		}
	}
	if len(got["x-real-name"]) != 1 || len(got["x-request-id"]) != 1 {
		t.Error("headers of the client are gone", got)
	}
}
