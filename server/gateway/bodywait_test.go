package gateway_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// A client that is refused, or whose route takes no body, has the answer within the
// patience, and the connection's end, though the announced body never comes.
func TestRefusedWithoutTheBody(t *testing.T) {
	t.Parallel()
	f, err := aiapi.New(aiapi.Options{
		Dispatcher: struct{ aiapi.Dispatcher }{}, Keys: apikeys.New(apikeys.Options{Closed: true, Now: time.Now}),
	})
	if err != nil {
		t.Fatal(err)
	}
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) {
		o.AI, o.Limits.BodyIdle = f, 20*time.Millisecond
	})
	for name, row := range map[string]struct {
		request string
		status  int
	}{
		"no key":                    {"POST /llm", http.StatusUnauthorized},
		"no key, a form":            {"POST /image-to-image", http.StatusUnauthorized},
		"no such address of AI":     {"POST /v1/nothing", http.StatusNotFound},
		"another site's AI request": {"POST /llm HTTP/1.1\r\nSec-Fetch-Site: cross-site", http.StatusForbidden},
		"no such address":           {"POST /nothing", http.StatusNotFound},
		"another method":            {"POST /healthz", http.StatusNotFound},
		"health":                    {"GET /healthz", http.StatusOK},
		"streams":                   {"GET /api/streams", http.StatusOK},
		"player":                    {"GET /stream/show.m3u8", http.StatusNotFound},
		"player's options":          {"OPTIONS /stream/show.m3u8", http.StatusNoContent},
		"push path":                 {"POST /live/show/0.mkv", http.StatusUnprocessableEntity},
		"push of another site":      {"POST /live/show/0.ts HTTP/1.1\r\nSec-Fetch-Site: cross-site", http.StatusForbidden},
		"an encoder's playlist":     {"POST /live/show/index.m3u8", http.StatusOK},
	} {
		for how, header := range map[string]string{"announced": "Content-Length: 1000",
			"in chunks": "Transfer-Encoding: chunked"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				line := row.request
				if !strings.Contains(line, " HTTP/1.1") {
					line += " HTTP/1.1"
				}
				// The connection's own deadline fails the test where no answer comes.
				in := bufio.NewReader(raw(t, n, line+"\r\nHost: x\r\n"+header+"\r\n\r\n"))
				resp, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if resp.StatusCode != row.status {
					t.Errorf("status %d, want %d", resp.StatusCode, row.status)
				}
				if _, err := in.ReadByte(); err != io.EOF {
					t.Errorf("the connection goes on: %v", err)
				}
			})
		}
	}
}

// A refused body that does come leaves the connection good for the next request.
func TestRefusedWithTheBody(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	c := raw(t, n, "POST /live/show/0.mkv HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"+
		"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	in := bufio.NewReader(c)
	for _, want := range []int{http.StatusUnprocessableEntity, http.StatusOK} {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("status %d, want %d", resp.StatusCode, want)
		}
	}
}
