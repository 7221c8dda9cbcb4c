package byoc_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/byoc"
)

// TestAnswersThatAreNone: what a capability answers that is no status of HTTP, or another protocol, is a failure like
// others: the node does not panic, and the slot is free again.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	n := free(t)
	c := newClient(t, n, "127.0.0.1")
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := "099"
		if at := strings.LastIndexByte(r.URL.Path, '/'); strings.HasPrefix(r.URL.Path[at+1:], "odd") {
			status = r.URL.Path[at+4:]
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 "+status+" x\r\nContent-Length: 0\r\n\r\n")
	}))
	t.Cleanup(worker.Close)
	expect(t, "register", c.Register(byoc.Secret, "cap", worker.URL, 1, 0), http.StatusOK, "ok")
	for _, status := range []string{"000", "099", "101"} {
		expect(t, status, c.Send("POST", "/process/request/odd"+status, "{}", "Livepeer", c.Header(work())), 500, brokeOff)
	}
	expect(t, "a stream", c.Send("POST", "/ai/stream/start", "{}", "Livepeer", c.Header(start("s", "{}"))), 500, brokeOff)
	if n := n.Capabilities.Used(); n != 0 {
		t.Errorf("%d slots in use", n)
	}
}
