package gateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// drip begins a request from an address with a body that does not come to its end. It is hung
// up at the end of the test, or before.
func (g *target) drip(from, head string, body []byte) (hangUp func()) {
	g.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c, err := dialer.DialContext(g.Context(), "tcp", strings.TrimPrefix(g.base, "http://"))
	if err != nil {
		g.Error(err)
		return func() {}
	}
	hangUp = sync.OnceFunc(func() { c.Close() })
	g.Cleanup(hangUp)
	if _, err := fmt.Fprintf(c, "%s\r\nHost: localhost\r\n\r\n%s", head, body); err != nil {
		g.Logf("a body is not taken: %v", err)
	}
	return hangUp
}

// TestPlaylistsTakeNoCapacity: an encoder's own playlists, about which the service that admits
// streams is not asked, take no place of admitted pushes, however slowly they come.
func TestPlaylistsTakeNoCapacity(t *testing.T) {
	t.Parallel()
	h := startHooked(t)
	h.rule(func(u *url.URL) (int, string) {
		if u.Query().Get("token") != "good" {
			return http.StatusForbidden, ""
		}
		return http.StatusOK, ""
	})
	for n := range 300 {
		h.drip(attacker, fmt.Sprintf("PUT /live/x%d/index.m3u8 HTTP/1.1\r\nContent-Length: 1000", n), []byte("#"))
	}
	for n := range 3 {
		h.expect("the owner, alongside playlists of strangers", owner, fmt.Sprintf("/live/film/%d.ts?token=good", n), "",
			http.StatusOK)
	}
}

// TestAStrangerLeavesOpenPushesToOthers: where everyone may push, an address that holds as
// many segments and streams as it can, and claims a key, leaves some to others.
func TestAStrangerLeavesOpenPushesToOthers(t *testing.T) {
	t.Parallel()
	h := &hooked{target: start(t, "-streamAccess", "open"), segment: oneSegment(t)}
	push := func(n int) (hangUp func()) {
		claim := [...]string{"", "\r\nAuthorization: Bearer tk-no-such-key"}[n%2]
		return h.drip(attacker, fmt.Sprintf("PUT /live/spam%d/0.ts HTTP/1.1\r\nContent-Length: 1000%s", n, claim),
			[]byte("x"))
	}
	streams := func() int {
		_, list := h.ask("GET", "/api/streams", nil)
		return strings.Count(list, `"spam`)
	}
	for n := 0; streams() < 1000 && n < 2000; {
		for range 100 {
			push(n)()
			n++
		}
	}
	h.expect("this machine, alongside streams of a stranger", owner, "/live/mine/0.ts", "", http.StatusOK)
	for n := range 300 {
		push(n)
	}
	h.expect("this machine, alongside pushes of a stranger", owner, "/live/own/0.ts", "", http.StatusOK)
	h.expect("another address", "127.0.1.67", "/live/other/0.ts", "", http.StatusOK)
}

// TestAStrangerPushesIntoNoStreamOfOthers: where everyone may push, the names of streams are no secret. A
// stranger replaces no segment and no rendition of a stream of this machine, also where it used the name first.
func TestAStrangerPushesIntoNoStreamOfOthers(t *testing.T) {
	t.Parallel()
	h := &hooked{target: start(t, "-streamAccess", "open"), segment: oneSegment(t)}
	ok, no := http.StatusOK, http.StatusForbidden
	other := `{"profiles":[{"name":"other","width":64,"height":64,"bitrate":1000,"fps":1}]}`
	h.expect("the owner", owner, "/live/film/0.ts", "", ok)
	h.expect("a stranger", attacker, "/live/film/1.ts", "", no)
	h.expect("a stranger that changes the renditions", attacker, "/live/film/2.ts", other, no)
	h.expect("the owner again", owner, "/live/film/1.ts", "", ok)
	h.expect("a stranger's own stream", attacker, "/live/theirs/0.ts", "", ok)
	h.expect("the owner, at a name that a stranger used first", owner, "/live/theirs/1.ts", "", ok)
	h.expect("the stranger, then", attacker, "/live/theirs/2.ts", "", no)
	h.expect("two strangers", attacker, "/live/shared/0.ts", "", ok)
	h.expect("two strangers, the second", "127.0.1.67", "/live/shared/1.ts", "", ok)
}

// TestAKeyPushesIntoItsOwnStreams: a key does not push into the stream of another one, nor of this machine.
func TestAKeyPushesIntoItsOwnStreams(t *testing.T) {
	t.Parallel()
	g := start(t, "-streamAccess", "open", "-apiKeys", twoKeys(t))
	segment := oneSegment(t)
	for _, push := range []struct {
		key, path string
		want      int
	}{
		{keyA, "film/0.ts", http.StatusOK}, {keyB, "film/1.ts", http.StatusForbidden},
		{"", "film/1.ts", http.StatusForbidden}, {keyA, "film/1.ts", http.StatusOK},
		{keyB, "theirs/0.ts", http.StatusOK}, {"", "own/0.ts", http.StatusOK},
		{keyA, "own/1.ts", http.StatusForbidden}, {"", "own/1.ts", http.StatusOK},
	} {
		var headers []string
		if push.key != "" {
			headers = []string{"Authorization", "Bearer " + push.key}
		}
		if status, answer := g.ask("PUT", "/live/"+push.path, segment.Data, headers...); status != push.want {
			t.Errorf("%s with %q: %d %.200q", push.path, push.key, status, answer)
		}
	}
}

// TestAViewerLeavesEventsToOthers: one address does not take all event streams.
func TestAViewerLeavesEventsToOthers(t *testing.T) {
	t.Parallel()
	g := start(t, "-streamAccess", "open")
	g.stream("film")
	for range 300 {
		g.drip(attacker, "GET /api/streams/film/events HTTP/1.1", nil)
	}
	g.node.Wait("a stranger to have all event streams that it can", 20*time.Second, func() bool {
		return g.events(attacker) == http.StatusServiceUnavailable
	})
	if status := g.events(owner); status != http.StatusOK {
		t.Errorf("events for another: status %d", status)
	}
}

// events asks for a stream's events and hangs up.
func (g *target) events(from string) int {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+"/api/streams/film/events", nil)
	if err != nil {
		g.Fatal(err)
	}
	resp, err := clientAt(from).Do(r)
	if err != nil {
		g.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func clientAt(from string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
}

// TestFailedOpenPushesDoNotFillTheLog: where everyone may push, thousands of segments without
// a byte leave few lines in the log.
func TestFailedOpenPushesDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	g := start(t, "-streamAccess", "open")
	const pushes, mostLines = 3000, 100
	client := clientAt(attacker)
	client.Transport.(*http.Transport).DisableKeepAlives = false
	before := len(g.node.Log())
	for range pushes {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, g.base+"/live/spam/0.ts",
			io.NopCloser(strings.NewReader("")))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = -1
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode < http.StatusBadRequest {
			t.Fatalf("an empty segment: status %d", resp.StatusCode)
		}
	}
	if lines := strings.Count(g.node.Log()[before:], "\n"); lines > mostLines {
		t.Errorf("%d segments left %d lines in the log", pushes, lines)
	}
}
