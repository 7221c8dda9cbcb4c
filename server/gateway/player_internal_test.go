package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/hls"
)

// TestSlowPlayersAreBounded: a player that fetches ever new segments and does not read them
// loses the oldest, so that they do not stay in memory; one that reads loses none.
func TestSlowPlayersAreBounded(t *testing.T) {
	t.Parallel()
	const size, most, segments = 8 << 20, 32 << 20, 12
	g, err := New(Options{Orchestrators: []string{"https://127.0.0.1:1"},
		Limits: Limits{Window: hls.Limits{StreamBytes: 2 * size, TotalBytes: most}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	g.windows.Open("film", []hls.Variant{{Key: hls.SourceKey, Format: core.FormatMPEGTS}})
	fetch := func(n int) net.Conn {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "GET /stream/film/%s/%d.ts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", hls.SourceKey, n)
		head := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(c, head); err != nil || !strings.HasSuffix(string(head), "200") {
			t.Fatalf("segment %d: %s, %v", n, head, err)
		}
		return c
	}
	var all []net.Conn
	for n := range segments {
		g.windows.Publish("film", hls.Segment{Number: core.SegmentNumber(n), Duration: time.Second, At: time.Now(),
			Data: [][]byte{make([]byte, size)}})
		all = append(all, fetch(n))
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for n, c := range all {
		wg.Go(func() {
			got, _ := io.Copy(io.Discard, c) // one that was cut off ends with an error or early
			if whole := got > size; whole != (n >= segments-most/size) {
				t.Errorf("segment %d: %d bytes", n, got)
			}
		})
	}
}
