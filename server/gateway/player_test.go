package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestPlayers(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	for i := 5; i < 8; i++ {
		n.push(fmt.Sprintf("/live/show/%d.ts", i), media, "Content-Resolution", "1280x720").want(t, media)
	}
	status, master, h := n.get("/stream/show.m3u8")
	if status != http.StatusOK || !strings.Contains(master, "RESOLUTION=1280x720\nshow/source.m3u8\n") ||
		!strings.Contains(master, "RESOLUTION=426x240,FRAME-RATE=30.000\nshow/P240p30fps16x9.m3u8\n") {
		t.Errorf("%d\n%s", status, master)
	}
	for key, want := range map[string]string{
		"Content-Type": "application/vnd.apple.mpegurl", "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=1",
	} {
		if got := h.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if _, list, _ := n.get("/stream/show/P240p30fps16x9.m3u8"); !strings.Contains(list, "P240p30fps16x9/5.ts\n") {
		t.Errorf("playlist:\n%s", list)
	}
	status, seg, h := n.get("/stream/show/P240p30fps16x9/6.ts")
	if status != http.StatusOK || seg != string(rendition("P240p30fps16x9", media)) ||
		h.Get("Content-Type") != "video/mp2t" {
		t.Errorf("segment: %d %d bytes %s", status, len(seg), h.Get("Content-Type"))
	}
	if _, seg, _ := n.get("/stream/show/source/6.ts"); seg != string(media) {
		t.Error("the source's segment has other bytes")
	}
	for path, code := range map[string]fault.Code{
		"/stream/other.m3u8": fault.StreamNotFound, "/stream/show/nope.m3u8": fault.RenditionNotFound,
		"/stream/show/source/99.ts": fault.StreamSegmentNotFound, "/stream/show/source/6.mp4": fault.StreamSegmentNotFound,
		"/stream/show": fault.RouteNotFound, "/nothing": fault.RouteNotFound,
	} {
		status, _, h := n.get(path)
		if status != http.StatusNotFound || h.Get(rpc.CodeHeader) != string(code) {
			t.Errorf("%s: %d %s, want %s", path, status, h.Get(rpc.CodeHeader), code)
		}
	}
}

func TestStreamsAPI(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.set(behavior{err: "Too many outputs"})
	n.push("/live/show/1.ts", media)
	_, text, _ := n.get("/api/streams")
	var got gateway.StreamsReply
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Streams) != 1 {
		t.Fatalf("%s", text)
	}
	s := got.Streams[0]
	if s.ID != "show" || s.Playlist != "/stream/show.m3u8" || s.Finished != 1 || s.Failed != 1 ||
		s.LastCode != "SegmentNotTranscodable" || s.Orchestrator != o.uri || len(s.Renditions) != 2 || len(s.Segments) != 2 {
		t.Errorf("%+v", s)
	}
	f := s.Segments[0]
	if f.SourceSeconds != 2 || f.SourceBytes != len(media) || f.Attempts != 1 || f.WallMs <= 0 || len(f.Renditions) != 2 {
		t.Errorf("%+v", f)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	n.push("/live/show/0.ts", media).want(t, media)
	resp, err := n.client.Get(n.url + "/api/streams/show/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Error(got)
	}
	n.push("/live/show/1.ts", media).want(t, media)
	n.settled()
	n.clock.Forward(time.Hour)
	b, err := io.ReadAll(resp.Body) // until the stream's end
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if strings.Count(text, "event: segment\n") != 2 || !strings.HasSuffix(text, "event: end\ndata: {}\n\n") ||
		!strings.Contains(text, `"number":1,`) {
		t.Errorf("events:\n%s", text)
	}
	if status, _, _ := n.get("/api/streams/nope/events"); status != http.StatusNotFound {
		t.Errorf("unknown stream: %d", status)
	}
}

// A segment that is refused leaves the stream as it was: its playlists go on.
func TestRefusedSegmentsChangeNoStream(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	for i := range 3 {
		n.push(fmt.Sprintf("/live/show/%d.ts", i), media, "Content-Resolution", "1280x720").want(t, media)
	}
	_, before, _ := n.get("/stream/show/source.m3u8")
	if a := n.push("/live/show/3.mp4",
		[]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00\x00\x00\x00\x08moov")); a.status != http.StatusUnprocessableEntity {
		t.Fatalf("a movie without tracks: %d", a.status)
	}
	if _, after, _ := n.get("/stream/show/source.m3u8"); after != before {
		t.Errorf("before:\n%s\nafter a refused segment:\n%s", before, after)
	}
}
