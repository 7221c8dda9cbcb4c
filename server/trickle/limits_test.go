package trickle_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

func put(t *testing.T, c *trickle.Channel, n int) {
	t.Helper()
	if err := c.Put(bytes.Repeat([]byte("x"), n)); err != nil {
		t.Fatal(err)
	}
}

// A reader that does not keep up costs the memory of its channel's limit and no more, the writer does
// not wait for it, and it does not take the part that it got for the whole.
func TestASlowReaderIsCutOff(t *testing.T) {
	t.Parallel()
	g := newRig(t, trickle.Limits{ChannelBytes: 64 << 20}, "a")
	c := g.hub.Channel("a")
	put(t, c, 32<<20)
	slow := g.get(t, "a/0")
	r, _ := slow.head()
	for range 5 {
		put(t, c, 1<<20)
	}
	if n, err := io.Copy(io.Discard, r.Body); err == nil || n >= 32<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if got := g.hub.Bytes(); got != 5<<20 {
		t.Errorf("%d bytes are kept", got)
	}
}

func TestLimitsOfBytes(t *testing.T) {
	t.Parallel()
	g := newRig(t, trickle.Limits{SegmentBytes: 100, ChannelBytes: 250, HubBytes: 400}, "a", "b")
	a, b := g.hub.Channel("a"), g.hub.Channel("b")
	for range 4 {
		put(t, a, 90)
	}
	if got := g.hub.Bytes(); got != 180 {
		t.Errorf("a channel keeps %d bytes", got)
	}
	if a.Put(make([]byte, 101)) == nil {
		t.Error("a segment of any size")
	}
	put(t, b, 90)
	put(t, b, 90)
	if b.Put(make([]byte, 50)) == nil {
		t.Error("channels may fill any memory")
	}
	large := g.post(t, "a/9")
	large.send(strings.Repeat("x", 101))
	if got := large.end(); !strings.Contains(got.status, "413") {
		t.Errorf("%q", got)
	}
	full := g.post(t, "b/7")
	full.send(strings.Repeat("x", 60))
	if got := full.end(); !strings.Contains(got.status, "503") {
		t.Errorf("%q", got)
	}
	g.hub.Close("a")
	g.hub.Close("b")
	if got := g.hub.Bytes(); got != 0 {
		t.Errorf("%d bytes are kept of no channel", got)
	}
}

// TestOneOwnerLeavesMemory: one whose channels fill the memory loses its oldest segments to others, until they
// keep as much; it takes nothing of theirs.
func TestOneOwnerLeavesMemory(t *testing.T) {
	t.Parallel()
	hub := trickle.NewHub(trickle.Limits{ChannelBytes: 100, HubBytes: 400}, time.Now)
	for _, name := range []string{"a", "b", "c", "d"} {
		for range 5 {
			put(t, hub.Open("greedy", name, "text/plain"), 20)
		}
	}
	other := hub.Open("other", "e", "text/plain")
	for range 5 {
		put(t, other, 20)
	}
	if hub.Open("greedy", "f", "text/plain").Put(make([]byte, 20)) == nil {
		t.Error("the one with most has more")
	}
	if got := hub.Bytes(); got != 400 {
		t.Errorf("%d bytes are kept", got)
	}
	for _, c := range []string{"a", "b", "c", "d", "e", "f"} {
		hub.Close(c)
	}
	if got := hub.Bytes(); got != 0 {
		t.Errorf("%d bytes are kept of no channel", got)
	}
}

func TestReadersAreBounded(t *testing.T) {
	t.Parallel()
	g := newRig(t, trickle.Limits{Readers: 2}, "a")
	one, _ := g.get(t, "a/0"), g.get(t, "a/0")
	g.reads(t, "a", 2)
	if got := g.get(t, "a/0").end(); !strings.Contains(got.status, "503") {
		t.Errorf("%q", got)
	}
	one.conn.Close()
	g.reads(t, "a", 1)
}

// A publisher that connected in advance hears that it may go on waiting.
func TestInterimAnswers(t *testing.T) {
	t.Parallel()
	g := newRig(t, trickle.Limits{Interim: time.Millisecond}, "a")
	p := g.post(t, "a/0")
	for range 3 {
		if r, err := http.ReadResponse(p.in, nil); err != nil || r.StatusCode != http.StatusContinue {
			t.Fatal(r, err)
		}
	}
	p.send("late")
	p.send("")
	if got := p.end(); !strings.Contains(got.status, "200") {
		t.Errorf("%q", got)
	}
	if got := g.get(t, "a/0").end(); got.body != "late" {
		t.Errorf("%q", got)
	}
}

func TestIdleChannelsEnd(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	hub := trickle.NewHub(trickle.Limits{Idle: time.Minute}, func() time.Time { return now })
	for _, name := range []string{"written", "idle", "_kept"} {
		hub.Open("", name, "text/plain")
	}
	now = now.Add(59 * time.Second)
	put(t, hub.Channel("written"), 1)
	hub.Sweep()
	if hub.Len() != 3 {
		t.Fatal(hub.Len())
	}
	now = now.Add(time.Second)
	hub.Sweep()
	if hub.Channel("idle") != nil || hub.Channel("written") == nil || hub.Channel("_kept") == nil {
		t.Error("the wrong ones are closed")
	}
	if hub.Open("", "idle", "text/plain").Put(nil) != nil {
		t.Error("a closed channel cannot be made again")
	}
}

// Requests from outside must neither panic nor take memory, whatever path, method and headers they have.
func FuzzRequests(f *testing.F) {
	for _, path := range []string{"a/0", "a/-1", "a/-2", "a/next", "a/9223372036854775807", "a", "", "a//", "a/1/2",
		"a/-9223372036854775808", "b/0"} {
		for _, method := range []string{"GET", "POST", "DELETE", "PUT"} {
			f.Add(method, path, "1", []byte("body"))
		}
	}
	f.Fuzz(func(t *testing.T, method, path, reset string, body []byte) {
		hub := trickle.NewHub(trickle.Limits{SegmentBytes: 8, ChannelBytes: 16}, time.Now)
		put(t, hub.Open("", "a", "text/plain"), 1)
		r := httptest.NewRequest("GET", "/", bytes.NewReader(body))
		r.Method, r.URL.Path = method, prefix+path
		r.Header["Lp-Trickle-Reset"] = []string{reset}
		gone, cancel := context.WithCancel(t.Context())
		cancel() // a reader that would wait leaves
		func() {
			defer func() {
				if v := recover(); v != nil && v != http.ErrAbortHandler {
					panic(v)
				}
			}()
			hub.Handler(prefix).ServeHTTP(httptest.NewRecorder(), r.WithContext(gone))
		}()
		if hub.Bytes() > 16 {
			t.Errorf("%d bytes are kept", hub.Bytes())
		}
	})
}
