package orchestrator_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// open makes idle connections: half of them silent after the handshake, half
// after a first request.
func open(t testing.TB, n *node, count int) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, count)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range conns {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			c, err := tls.Dial("tcp", n.addr, &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				t.Error(err)
				return
			}
			conns[i] = c
			if i%2 == 0 {
				return
			}
			if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
				t.Error(err)
				return
			}
			if _, err := c.Read(make([]byte, 1024)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	t.Cleanup(func() {
		for _, c := range conns {
			if c != nil {
				c.(*tls.Conn).NetConn().Close()
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return conns
}

// slow makes clients that ask for a rendition and take nothing of it.
func slow(t testing.TB, n *node, count int, path string) {
	t.Helper()
	for _, c := range open(t, n, count) {
		if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
}

// crowd is how many idle connections TestCrowd makes. TUTTI_CROWD=9600 is a
// full-size run; it takes 20 000 open files and some seconds for the handshakes.
func queueLevel(t *testing.T) int {
	text := os.Getenv("TUTTI_CROWD")
	if text == "" {
		return 500
	}
	count, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// TestCrowd: a gateway does its work among many peers that hold connections and do
// nothing, or take nothing.
func TestCrowd(t *testing.T) {
	n := newNode(t)
	n.fake.RenditionBytes = 4 << 20
	tok := n.offer().GetAuthToken()
	body := bytes.Repeat([]byte("segment"), 200_000)
	url := n.transcode(n.h2, tok, body).GetData().GetSegments()[0].GetUrl()
	// work is the median time of a healthy gateway's segment.
	work := func() time.Duration {
		var took []time.Duration
		for range 21 {
			start := time.Now()
			n.offer()
			for _, seg := range n.transcode(n.h2, tok, body).GetData().GetSegments() {
				if res, data := get(t, n.h1, seg.GetUrl()); res.StatusCode != 200 || len(data) != 4<<20 {
					t.Errorf("%d, %d bytes", res.StatusCode, len(data))
				}
			}
			took = append(took, time.Since(start))
		}
		return median(took)
	}
	alone, heap := work(), memory()
	count := queueLevel(t)
	open(t, n, count)
	readers := min(count/10, 200)
	slow(t, n, readers, url[len(n.uri):])
	t.Logf("a segment takes %s alone and %s among %d idle connections and %d slow readers, which take %d MB with their "+
		"clients",
		alone, work(), count, readers, (memory()-heap)>>20)
}

// memory is what this process has from the system.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// TestConnectionLimit: the longest idle connections make room for new ones,
// those with a request in hand stay.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(s *setup) { s.listener.Connections = 20 })
	n.transcode(n.h1, n.offer().GetAuthToken(), []byte("segment"))
	// With the gateway's own they are fewer than 20: none makes room in its handshake.
	old := open(t, n, 17)
	fresh := open(t, n, 10)

	closed := 0
	for _, c := range old {
		// The server hangs up without a word: the read ends.
		_ = c.SetReadDeadline(time.Now().Add(time.Second / 10))
		if _, err := c.Read(make([]byte, 1)); err != nil && !isTimeout(err) {
			closed++
		}
	}
	// Ten of the old ones, less the room that the gateway's own idle connections
	// gave up.
	if closed < 8 || closed > 12 {
		t.Errorf("%d of the old connections were closed", closed)
	}
	for i, c := range fresh {
		_ = c.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
			t.Errorf("fresh connection %d: %v", i, err)
		}
		if _, err := c.Read(make([]byte, 1024)); err != nil {
			t.Errorf("fresh connection %d: %v", i, err)
		}
	}
	n.transcode(n.h2, n.offer().GetAuthToken(), []byte("segment"))
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}
