package liverunner_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a runner answers is a status of HTTP: nothing else makes the node panic, and no runner changes the protocol of a
// client that has not asked for that.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	n := start(t, "")
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, head, odd := strings.Cut(r.URL.Path, "/odd/")
		if !odd {
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 "+head+" x\r\nContent-Length: 0\r\n\r\n")
	}))
	t.Cleanup(runner.Close)
	path := n.session(t, n.register(t, static("a", runner.URL, ""))[0])
	for _, status := range []string{"000", "099", "101"} {
		if res := n.request(t, "POST", path+"/app/odd/"+status, ""); res.StatusCode != http.StatusBadGateway {
			t.Error(status, res.Status)
		}
	}
	if res := n.request(t, "POST", path+"/app/odd/299", ""); res.StatusCode != 299 {
		t.Error(res.Status)
	}
}
