//go:build !race

package orchestrator_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// stacks is what the goroutines' stacks take. Each collection halves those that were deep once.
func stacks() int {
	for range 6 {
		runtime.GC()
	}
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

// Most requests of a node with live sessions wait, each on a connection of its own: four of the eight of a session read
// a channel in which nothing is written, and four are publishers that connected in advance. Their stacks are a large
// part of their memory and have sizes of powers of two, so that a few bytes more in the calls double them. Those of the
// race detector are larger, so this is not built with it.
func TestWaitingRequestsHaveSmallStacks(t *testing.T) {
	for kind, head := range map[string]string{
		"reads": "GET /ai/trickle/c%d/0 HTTP/1.1\r\nHost: o\r\n\r\n",
		"writes": "POST /ai/trickle/c%d/0 HTTP/1.1\r\nHost: o\r\nExpect: 100-continue\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n",
	} {
		t.Run(kind, func(t *testing.T) {
			const requests = 60
			hub := trickle.NewHub(trickle.Limits{}, time.Now)
			n := newNode(t, func(s *setup) {
				s.listener.Channels = hub
				s.listener.Connections, s.listener.PerAddress = 4*requests, 4*requests
			})
			before := stacks()
			for i := range requests {
				waitOn(t, n, hub.Open("", fmt.Sprint("c", i), "video/MP2T"), fmt.Sprintf(head, i), kind == "reads")
			}
			// The request's is 8 KB. A read has a second one, which waits for the end of the connection; the first byte
			// of a write is waited for with a second one.
			if each := (stacks() - before) / requests; each > 13<<10 {
				t.Errorf("the stacks of a request take %d bytes", each)
			}
			for i := range requests {
				hub.Close(fmt.Sprint("c", i))
			}
		})
	}
}

// waitOn sends a request that waits, and returns when it does.
func waitOn(t *testing.T, n *node, c *trickle.Channel, head string, reads bool) {
	t.Helper()
	conn, err := tls.Dial("tcp", n.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	if reads {
		eventually(t, func() bool { return c.Readers() == 1 })
		return
	}
	answer := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, answer); err != nil { // it comes when the body is read
		t.Fatal(err)
	}
}
