package http1_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/http1"
)

// A stream that is open costs no goroutine. This test runs alone, because it
// counts those of the whole process.
func TestStreamsCostNoGoroutines(t *testing.T) {
	tr := transport(t, http1.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
		return &cannedConn{text: streamed + "3\r\nabc\r\n", step: 1 << 20}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := runtime.NumGoroutine()
	var open []*http.Response
	for range 100 {
		resp, err := tr.RoundTrip(post(t, ctx, "http://host/", "x"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		open = append(open, resp)
	}
	// Those that dialed are on their way out when their connection is handed over.
	for late := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(late) {
			t.Fatalf("%d goroutines more", runtime.NumGoroutine()-before)
		}
	}
	for _, resp := range open {
		_ = resp.Body.Close()
	}
}
