package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestBadPushes(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	const conf = "Livepeer-Transcode-Configuration"
	for name, row := range map[string]struct {
		path    string
		body    string
		headers []string
		status  int
		code    fault.Code
	}{
		"extension":         {"/live/show/0.mkv", "x", nil, 422, fault.PushPath},
		"number":            {"/live/show/x.ts", "x", nil, 422, fault.PushPath},
		"negative number":   {"/live/show/-1.ts", "x", nil, 422, fault.PushPath},
		"no number":         {"/live/show/.ts", "x", nil, 422, fault.PushPath},
		"too deep":          {"/live/show/a/0.ts", "x", nil, 422, fault.PushPath},
		"name":              {"/live/sh%20ow/0.ts", "x", nil, 422, fault.PushPath},
		"no stream":         {"/live/0.ts", "x", nil, 422, fault.PushPath},
		"empty":             {"/live/show/0.ts", "", nil, 422, fault.PushEmpty},
		"duration":          {"/live/show/0.ts", "x", []string{"Content-Duration", "2s"}, 422, fault.PushHeader},
		"long duration":     {"/live/show/0.ts", "x", []string{"Content-Duration", "300001"}, 422, fault.PushHeader},
		"negative duration": {"/live/show/0.ts", "x", []string{"Content-Duration", "-1"}, 422, fault.PushHeader},
		"resolution":        {"/live/show/0.ts", "x", []string{"Content-Resolution", "1280"}, 422, fault.PushHeader},
		"slice": {"/live/show/0.ts", "x", []string{"Content-Slice-From", "5", "Content-Slice-To", "4"}, 422,
			fault.PushHeader},
		"slice text": {"/live/show/0.ts", "x", []string{"Content-Slice-From", "x"}, 422, fault.PushHeader},
		"no JSON":    {"/live/show/0.ts", "x", []string{conf, "{"}, 422, fault.PushConfiguration},
		"preset":     {"/live/show/0.ts", "x", []string{conf, `{"presets":["nope"]}`}, 422, fault.InvalidProfiles},
		"profile size": {"/live/show/0.ts", "x", []string{conf, `{"profiles":[{"name":"a"}]}`}, 422,
			fault.TranscoderInvalidResolution},
		"10 bits": {"/live/show/0.ts", "x", []string{conf, `{"profiles":[{"width":2,"colorDepth":2}]}`}, 422,
			fault.PushConfiguration},
		"4:2:2": {"/live/show/0.ts", "x", []string{conf, `{"profiles":[{"width":2,"chromaFormat":1}]}`}, 422,
			fault.PushConfiguration},
		"manifest": {"/live/show/0.ts", "x", []string{conf, `{"manifestID":"a/b"}`}, 422, fault.PushConfiguration},
		"too many": {"/live/show/0.ts",
			"x", []string{conf, `{"presets":["P144p30fps16x9","P144p30fps16x9","P144p30fps16x9","P144p30fps16x9",` +
				`"P144p30fps16x9",
			"P144p30fps16x9","P144p30fps16x9","P144p30fps16x9","P144p30fps16x9","P144p30fps16x9",` +
				`"P144p30fps16x9"]}`}, 422, fault.PushConfiguration},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range row.headers {
				row.headers[i] = strings.ReplaceAll(row.headers[i], "\n", "")
			}
			n.push(row.path, []byte(row.body), row.headers...).wantFault(t, row.status, row.code)
		})
	}
	a := n.push("/live/show/0.mkv", media, "Accept", "application/json")
	var e struct {
		Error struct{ Code, Message, Remedy string }
	}
	if err := json.Unmarshal([]byte(a.text), &e); err != nil || e.Error.Code != "PushPath" || e.Error.Message == "" {
		t.Errorf("JSON error %q: %v", a.text, err)
	}
	if status, _, _ := n.get("/live/show/0.ts"); status != http.StatusMethodNotAllowed {
		t.Errorf("GET of a push path: %d", status)
	}
	if a := n.push("/live/show/index.m3u8", []byte("#EXTM3U")); a.status != http.StatusOK {
		t.Errorf("an encoder's playlist: %d", a.status)
	}
}

func TestCrossSitePagesCannotPush(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	if a := n.push("/live/show/0.ts", media, "Sec-Fetch-Site", "cross-site"); a.status != http.StatusForbidden {
		t.Errorf("status %d", a.status)
	}
}

// raw sends bytes on a connection of their own.

func raw(t *testing.T, n *node, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", n.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestHugeLengthIsRefusedBeforeReading(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	c := raw(t, n, "POST /live/show/0.ts HTTP/1.1\r\nHost: x\r\nContent-Length: 300000001\r\n\r\nx")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge || resp.Header.Get(rpc.CodeHeader) != "PushTooLarge" {
		t.Errorf("%s %s", resp.Status, resp.Header.Get(rpc.CodeHeader))
	}
}

func TestSlowBody(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Limits.BodyIdle = 20 * time.Millisecond })
	c := raw(t, n, "POST /live/show/0.ts HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestTimeout || resp.Header.Get(rpc.CodeHeader) != "PushSlow" {
		t.Errorf("%s %s", resp.Status, resp.Header.Get(rpc.CodeHeader))
	}
	// The next segment is not held up by the place of the one that never came. A
	// busy machine may make this one late too, so it may take several.
	number := 0
	wait(t, "a segment in time", func() bool {
		number++
		return n.push(fmt.Sprintf("/live/show/%d.ts", number), media, "Accept", "*/*").status == http.StatusOK
	})
	if status, _, _ := n.get("/stream/show.m3u8"); status != http.StatusOK {
		t.Error("the stream is not there for players")
	}
}

func TestSlowReaderLetsGo(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Limits.BodyIdle = 20 * time.Millisecond })
	big := make([]byte, 8<<20) // more than the sockets' buffers hold
	number := 0
	wait(t, "a segment in time", func() bool {
		number++
		a, err := n.tryPush(context.Background(), fmt.Sprintf("/live/show/%d.ts", number), bytes.NewReader(big), "Accept",
			"*/*")
		return err == nil && a.status == http.StatusOK
	})
	c := raw(t, n, fmt.Sprintf("GET /stream/show/source/%d.ts HTTP/1.1\r\nHost: x\r\n\r\n", number))
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	// The client reads no more. Stopping waits for answers that are being written,
	// so its return means that the gateway has given this one up.
	if err := n.stop(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.Copy(io.Discard, c); err == nil && got >= int64(len(big)) {
		t.Errorf("the client got all %d bytes after all", got)
	}
}

func TestPushesAreBounded(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Limits.Pushes, o.Limits.Bytes = 1, 1<<20 })
	n.push("/live/show/0.ts", make([]byte, 2<<20)).wantFault(t, http.StatusServiceUnavailable, fault.PushesFull)
	held := raw(t, n, "POST /live/held/0.ts HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx")
	wait(t, "the held push", func() bool { return n.events.count("created held") == 1 })
	n.push("/live/show/1.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.PushesFull)
	held.Close()
	wait(t, "room", func() bool { return n.push("/live/show/2.ts", media).status == http.StatusOK })
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Limits.Streams = 1 })
	n.push("/live/one/0.ts", media).want(t, media)
	n.push("/live/two/0.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.StreamsFull)
	if n.events.count("refused StreamsFull") != 1 {
		t.Error("SessionRefused")
	}
	n.settled()
	n.clock.Forward(time.Hour)
	wait(t, "the first stream's end", func() bool { return n.events.count("ended one") == 1 })
	n.push("/live/two/0.ts", media).want(t, media)
}

func TestIdleConnectionsAreEvicted(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri}, func(o *gateway.Options) { o.Limits.Connections = 50 })
	var idle []net.Conn
	for range 200 {
		idle = append(idle, raw(t, n, ""))
	}
	n.push("/live/show/0.ts", media).want(t, media)
	if _, err := idle[0].Read(make([]byte, 1)); err == nil {
		t.Error("the longest idle connection is still open")
	}
}

// probe is a MediaProbe that says what a test wants.
