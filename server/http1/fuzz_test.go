package http1_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// FuzzAnswer: whatever a server sends, nothing panics, and an answer that is
// taken reads the same however it arrives, and as the standard library reads it.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		sized, chunked, toEnd, streamed + "3\r\nabc\r\n0\r\n\r\n", "HTTP/1.1 204 \r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: close\r\nKeep-Alive: timeout=5\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 103 x\r\n\r\n" + sized,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		status, body, err := roundTrip(t, text, 1<<20)
		slowStatus, slowBody, slowErr := roundTrip(t, text, 1)
		if status != slowStatus || body != slowBody || (err == nil) != (slowErr == nil) {
			t.Fatalf("at once: %d %q %v\nby the byte: %d %q %v", status, body, err, slowStatus, slowBody, slowErr)
		}
		if err != nil {
			return
		}
		r := bufio.NewReader(strings.NewReader(text))
		for {
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatalf("taken: %d %q; the standard library: %v", status, body, err)
			}
			if resp.StatusCode < 200 {
				continue
			}
			want, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != status || string(want) != body {
				t.Fatalf("%d %q\nthe standard library: %d %q %v", status, body, resp.StatusCode, want, err)
			}
			return
		}
	})
}
