package gateway_test

import (
	"bufio"
	"fmt"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
)

// Renditions take memory from the same budget as segments, and give it back.
func TestRenditionsTakeFromTheBudget(t *testing.T) {
	t.Parallel()
	for _, ladder := range []string{`{"presets":["P144p30fps16x9","P240p30fps16x9","P360p30fps16x9"]}`,
		`{"presets":["P144p30fps16x9"]}`} {
		t.Run(ladder, func(t *testing.T) {
			t.Parallel()
			a, b := newFake(t), newFake(t)
			// The segment fits, and less than all that is made of it.
			n := start(t, []string{a.uri, b.uri}, func(o *gateway.Options) { o.Limits.Bytes = 3 << 19 })
			conf := []string{"Livepeer-Transcode-Configuration", ladder}
			for i := range 3 {
				n.push(fmt.Sprintf("/live/show/%d.ts", i), make([]byte, 1<<20), conf...).wantFault(t,
					http.StatusServiceUnavailable, fault.PushesFull)
			}
			// It is not the orchestrator's fault, and another one could not help.
			if got := len(a.seen()) + len(b.seen()); got != 3 || n.events.count("swapped") != 0 {
				t.Errorf("%d attempts, %d moves", got, n.events.count("swapped"))
			}
			for i := range 3 {
				if got := n.push(fmt.Sprintf("/live/show/%d.ts", 3+i), make([]byte, 300<<10),
					conf...); got.status != http.StatusOK {
					t.Errorf("status %d, %s", got.status, got.text)
				}
			}
		})
	}
}

// What a failed attempt got of the renditions is not held against the next one.
func TestFailedAttemptGivesItsMemoryBack(t *testing.T) {
	t.Parallel()
	a, b := newFake(t), newFake(t)
	n := start(t, []string{a.uri, b.uri}, func(o *gateway.Options) { o.Limits.Bytes = 4 << 20 })
	n.push("/live/show/0.ts", media).want(t, media)
	first, second := a, b
	if len(a.seen()) == 0 {
		first, second = b, a
	}
	wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
	first.set(behavior{downloadShort: true})
	big := make([]byte, 1<<20)
	n.push("/live/show/1.ts", big).want(t, big)
}

// A client that takes its answer slowly keeps the renditions in memory.
func TestAnswerKeepsItsMemory(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Limits.Bytes = 32 << 20 })
	const size = 8 << 20 // three of them are more than the sockets' buffers hold
	c := raw(t, n, fmt.Sprintf("POST /live/slow/0.ts HTTP/1.1\r\nHost: x\r\nAccept: multipart/mixed\r\nContent-Length: "+
		"%d\r\n\r\n", size))
	if _, err := c.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	defer resp.Body.Close()
	big := make([]byte, 9<<20)
	n.push("/live/show/0.ts", big).wantFault(t, http.StatusServiceUnavailable, fault.PushesFull)
	c.Close()
	wait(t, "room", func() bool { return n.push("/live/show/1.ts", big).status == http.StatusOK })
}
