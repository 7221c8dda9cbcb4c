package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/hls"
)

// Clients that read the list of streams slowly, or never, hold bounded memory.
func TestSlowReadersOfTheStreamsAreBounded(t *testing.T) {
	t.Parallel()
	const most, readers, streams = 32 << 20, 12, 500
	g, err := New(Options{Orchestrators: []string{"https://127.0.0.1:1"},
		Limits: Limits{Window: hls.Limits{StreamBytes: most, TotalBytes: most}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	for i := range streams {
		s, err := g.enter(core.ManifestID(fmt.Sprint("film", i)), pusher{}, nil, streamOwner{})
		if err != nil {
			t.Fatal(err)
		}
		f := SegmentStats{Orchestrator: "https://orchestrator.example.org:8935", Renditions: make([]RenditionStats, 10)}
		for range keptSegments {
			s.feed.add(f)
		}
		s.leave(time.Now())
	}
	size := int64(0)
	var all []net.Conn
	for range readers {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprint(c, "GET /api/streams HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	whole := 0
	for i := len(all) - 1; i >= 0; i-- {
		wg.Go(func() {
			n, _ := io.Copy(io.Discard, all[i]) // one that was cut off ends early
			mu.Lock()
			defer mu.Unlock()
			if n > size {
				size, whole = n, 0
			}
			if n == size {
				whole++
			}
		})
	}
	wg.Wait()
	if size < 4<<20 || int64(whole)*size > most {
		t.Errorf("%d of %d readers were not cut off, each with %d bytes", whole, readers, size)
	}
}
