package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
)

var media = bytes.Repeat([]byte("segment "), 20_000)

func TestPushGivesRenditionsBack(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	for i := range 3 {
		a := n.push(fmt.Sprintf("/live/show/%d.ts", i), media, "Content-Duration", "1500", "Content-Resolution", "1280x720")
		a.want(t, media)
		h := a.parts[0].header
		file := fmt.Sprintf(`"P240p30fps16x9_%d.ts"`, i)
		for key, want := range map[string]string{
			"Content-Type":        "video/mp2t; name=" + file,
			"Content-Disposition": "attachment; filename=" + file,
			"Content-Length":      fmt.Sprint(len(a.parts[0].data)),
		} {
			if got := h.Get(key); got != want {
				t.Errorf("%s: %q, want %q", key, got, want)
			}
		}
	}
	segs := o.seen()
	for i, m := range segs {
		if string(m.Manifest) != "show" || int(m.Number) != i || m.Duration != 1500*time.Millisecond {
			t.Errorf("segment %d came as %+v", i, m)
		}
		if m.Token.GetSessionId() != segs[0].Token.GetSessionId() {
			t.Error("the stream changed its session")
		}
		if want := uint64(0x04001003); len(m.Capabilities.Bits) != 1 || m.Capabilities.Bits[0] != want {
			t.Errorf("capabilities %x, want %x", m.Capabilities.Bits, want)
		}
	}
	for event, want := range map[string]int{"created show": 1, "received show": 3, "transcoded show 2 200": 3, "uploaded ": 3, "failed": 0, "swapped": 0} {
		if got := n.events.count(event); got != want {
			t.Errorf("%d times %q, want %d", got, event, want)
		}
	}
}

func TestPushWithoutMultipartIsEmpty(t *testing.T) {
	t.Parallel()
	n := start(t, []string{newFake(t).uri})
	a := n.push("/live/show/0.ts", media, "Accept", "*/*")
	if a.status != http.StatusOK || a.text != "" {
		t.Errorf("status %d, text %q", a.status, a.text)
	}
}

func TestMP4ComesBackAsMP4(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	a := n.push("/live/show/3.mp4", media)
	a.want(t, media)
	if got := a.parts[0].header.Get("Content-Type"); got != `video/mp4; name="P240p30fps16x9_3.mp4"` {
		t.Error(got)
	}
	if f := o.seen()[0].Profiles[0].Format; f != core.FormatMP4 {
		t.Errorf("format %v", f)
	}
	status, _, h := n.get("/stream/show.m3u8")
	if status != http.StatusNotFound || h.Get(gateway.CodeHeader) != string(fault.PlaylistFormat) {
		t.Errorf("playlist of MP4 files: %d %s", status, h.Get(gateway.CodeHeader))
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	conf := `{"manifestID":"other","presets":["P720p30fps16x9"],"forceSessionReinit":true,
		"profiles":[{"name":"x","width":320,"height":180,"bitrate":"400k"},{"name":"x","width":160,"height":90,"bitrate":1000}]}`
	a := n.push("/live/show/0.ts", media, "Livepeer-Transcode-Configuration", strings.ReplaceAll(conf, "\n", " "),
		"Content-Slice-From", "100", "Content-Slice-To", "900")
	if a.status != http.StatusOK || len(a.parts) != 3 {
		t.Fatalf("%d %s %d parts", a.status, a.text, len(a.parts))
	}
	m := o.seen()[0]
	var names []string
	for _, p := range m.Profiles {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"P720p30fps16x9", "x", "x_2"}) || m.Manifest != "other" || !m.Reinit {
		t.Errorf("names %v manifest %s reinit %v", names, m.Manifest, m.Reinit)
	}
	if m.Clip == nil || m.Clip.From != 100*time.Millisecond || m.Clip.To != 900*time.Millisecond {
		t.Errorf("clip %+v", m.Clip)
	}
	// The configuration stays for segments that bring none; the reinit does not.
	if a := n.push("/live/other/1.ts", media); len(a.parts) != 3 {
		t.Errorf("%d parts", len(a.parts))
	}
	if o.seen()[1].Reinit {
		t.Error("reinit again")
	}
	// Other profiles are another session: their number is fixed in a session.
	n.push("/live/other/2.ts", media, "Livepeer-Transcode-Configuration", `{"presets":["P240p30fps16x9"]}`)
	segs := o.seen()
	if segs[2].Token.GetSessionId() == segs[1].Token.GetSessionId() {
		t.Error("the session stayed although the profiles changed")
	}
	wait(t, "the old session's end", func() bool { return len(o.endedSessions()) == 1 })
}

func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]behaviour{
		"refused":              {status: 500, text: "Internal Server Error"},
		"capped":               {status: 403, text: "OrchestratorCapped"},
		"draining":             {status: 503, text: "Draining"},
		"busy":                 {err: "OrchestratorBusy"},
		"breaks off":           {breakOff: true},
		"nonsense":             {raw: []byte("\xff\xff nonsense")},
		"empty":                {raw: []byte{}},
		"one rendition less":   {result: func(d *rpc.TranscodeData) { d.Segments = d.Segments[:1] }},
		"one rendition more":   {result: func(d *rpc.TranscodeData) { d.Segments = append(d.Segments, d.Segments[0]) }},
		"download not there":   {downloadStatus: 404},
		"download cut short":   {downloadShort: true},
		"download elsewhere":   {result: func(d *rpc.TranscodeData) { d.Segments[0].Url = "file:///etc/passwd" }},
		"download from inside": {result: func(d *rpc.TranscodeData) { d.Segments[0].Url = "http://localhost:1/x" }},
		"near miss of a text":  {err: "decode: Invalid argument"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := newFake(t), newFake(t)
			n := start(t, []string{a.uri, b.uri})
			n.push("/live/show/0.ts", media).want(t, media)
			first, second := a, b
			if len(a.seen()) == 0 {
				first, second = b, a
			}
			wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
			first.set(bad)
			n.push("/live/show/1.ts", media).want(t, media)
			if len(second.seen()) != 1 {
				t.Errorf("the other got %d segments", len(second.seen()))
			}
			first.set(behaviour{})
			n.push("/live/show/2.ts", media).want(t, media)
			if len(second.seen()) != 2 {
				t.Error("the stream went back although it had moved")
			}
			for event, want := range map[string]int{"swapped": 1, "retried 2": 1, "failed": 0} {
				if got := n.events.count(event); got != want {
					t.Errorf("%d times %q, want %d", got, event, want)
				}
			}
			wait(t, "the left session's end", func() bool { return len(first.endedSessions()) == 1 })
		})
	}
}

func TestLateOrchestratorIsLeft(t *testing.T) {
	t.Parallel()
	a, b := newFake(t), newFake(t)
	n := start(t, []string{a.uri, b.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	first, second := a, b
	if len(a.seen()) == 0 {
		first, second = b, a
	}
	wait(t, "the other's offer", func() bool { return second.count(&second.tokens) > 0 })
	first.set(behaviour{acceptHang: true})
	n.push("/live/show/1.ts", media).want(t, media) // after 2 s
	if n.events.count("uploaded OrchestratorLate") != 1 {
		t.Error("no OrchestratorLate")
	}
	wait(t, "the hung request's end", func() bool { return first.count(&first.canceled) == 1 })
}

func TestBadInputKeepsTheSession(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behaviour{err: "No keyframes in input"})
	a := n.push("/live/show/0.ts", media)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.SegmentNotTranscodable)
	if a.text != "No keyframes in input" {
		t.Errorf("text %q", a.text)
	}
	o.set(behaviour{})
	n.push("/live/show/1.ts", media).want(t, media)
	segs := o.seen()
	if len(segs) != 2 || segs[0].Token.GetSessionId() != segs[1].Token.GetSessionId() {
		t.Errorf("%d segments, or another session", len(segs))
	}
	if n.events.count("retried") != 0 {
		t.Error("bad input was tried again")
	}
}

func TestOneOrchestratorAloneIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behaviour{err: "Invalid data found when processing input"})
	a := n.push("/live/show/0.ts", media)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.AttemptsExhausted)
	if got := len(o.seen()); got != 3 {
		t.Errorf("%d attempts, want 3", got)
	}
	o.set(behaviour{})
	n.push("/live/show/1.ts", media).want(t, media)
}

func TestNoSessionsAvailable(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		b    behaviour
		code string
	}{
		"capped":          {behaviour{discoveryError: "Invalid orchestrator request: OrchestratorCapped"}, "OrchestratorCapped"},
		"refused":         {behaviour{discoveryError: "authentication failed"}, "OrchestratorDeclined"},
		"no address":      {behaviour{offer: func(i *rpc.OrchestratorInfo) { i.Transcoder = "" }}, "OrchestratorUnusable"},
		"no token":        {behaviour{offer: func(i *rpc.OrchestratorInfo) { i.AuthToken = nil }}, "OrchestratorUnusable"},
		"no capabilities": {behaviour{offer: func(i *rpc.OrchestratorInfo) { i.Capabilities = nil }}, "OrchestratorUnusable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newFake(t)
			o.set(row.b)
			n := start(t, []string{o.uri, deadAddress(t)})
			a := n.push("/live/show/0.ts", media)
			a.wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
			if a.text != "No sessions available" {
				t.Errorf("text %q", a.text)
			}
			if n.events.count("discovery "+row.code) != 1 || n.events.count("discovery OrchestratorUnreachable") != 1 {
				t.Errorf("events %v", n.events.all)
			}
		})
	}
}

func TestDiscoveryDoesNotWaitForTheSlow(t *testing.T) {
	t.Parallel()
	quick, hung := newFake(t), newFake(t)
	hung.set(behaviour{discoveryHang: true})
	n := start(t, []string{hung.uri, deadAddress(t), quick.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	if n.events.count("discovery OrchestratorSilent") != 0 {
		t.Error("the push waited for the silent one")
	}
}

func TestExpiredTokenIsRenewed(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.Limits.SweepEvery = time.Hour })
	n.push("/live/show/0.ts", media).want(t, media)
	n.clock.forward(27*time.Minute - 50*time.Second)
	n.push("/live/show/1.ts", media).want(t, media)
	n.clock.forward(50*time.Second + time.Second)
	o.expires = func() time.Time { return n.clock.now().Add(30 * time.Minute) }
	n.push("/live/show/2.ts", media).want(t, media)
	segs := o.seen()
	last := len(segs) - 1
	if segs[0].Token.GetSessionId() != segs[1].Token.GetSessionId() {
		t.Error("the token was renewed too early")
	}
	if segs[last].Token.GetSessionId() == segs[last-1].Token.GetSessionId() {
		t.Error("the token was not renewed 3 minutes before its end")
	}
	if !slices.Contains(o.endedSessions(), segs[last-1].Token.GetSessionId()) {
		t.Error("the old session was not ended before the new one was used")
	}
}

func TestRefusedTokenIsReplaced(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.set(behaviour{status: 403, text: "expired auth token"})
	a := n.push("/live/show/1.ts", media)
	a.wantFault(t, http.StatusUnprocessableEntity, fault.AttemptsExhausted)
	o.set(behaviour{})
	n.push("/live/show/2.ts", media).want(t, media)
}

func TestOrchestratorRestart(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.server.CloseClientConnections() // every kept connection is dead
	n.push("/live/show/1.ts", media).want(t, media)
	if n.events.count("failed") != 0 {
		t.Error("a segment failed")
	}
}

func TestIdleStreamEnds(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	n.settled()
	n.clock.forward(59 * time.Second)
	if status, _, _ := n.get("/stream/show.m3u8"); status != http.StatusOK {
		t.Fatalf("the stream is gone too early: %d", status)
	}
	if len(o.endedSessions()) != 0 {
		t.Fatal("the session is ended too early")
	}
	n.clock.forward(2 * time.Second)
	wait(t, "the session's end", func() bool { return slices.Equal(o.endedSessions(), []string{"s1"}) })
	_, list, _ := n.get("/stream/show/source.m3u8")
	if !strings.Contains(list, "#EXT-X-ENDLIST") {
		t.Errorf("playlist:\n%s", list)
	}
	n.clock.forward(11 * time.Second)
	wait(t, "the window's end", func() bool { status, _, _ := n.get("/stream/show.m3u8"); return status == http.StatusNotFound })
	if n.events.count("ended show") != 1 {
		t.Error("StreamEnded")
	}
}

func TestStopEndsSessions(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	if err := n.stop(); err != nil {
		t.Fatal(err)
	}
	if got := o.endedSessions(); !slices.Equal(got, []string{"s1"}) {
		t.Errorf("ended %v", got)
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	r, w := io.Pipe()
	got := make(chan *answer, 1)
	go func() {
		a, err := n.tryPush(context.Background(), "/live/show/0.ts", r)
		if err != nil {
			t.Error(err)
		}
		got <- a
	}()
	if _, err := w.Write(media[:8]); err != nil {
		t.Fatal(err)
	}
	wait(t, "the push to be in the gateway", func() bool { return n.events.count("created") == 1 })
	drained := make(chan error, 1)
	go func() { drained <- n.g.Drain(context.Background()) }()
	wait(t, "the drain", func() bool { status, _, _ := n.get("/healthz"); return status == http.StatusServiceUnavailable })
	n.push("/live/show/1.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.Draining)
	select {
	case <-drained:
		t.Fatal("drained with a segment in flight")
	default:
	}
	if _, err := w.Write(media[8:]); err != nil {
		t.Fatal(err)
	}
	w.Close()
	(<-got).want(t, media)
	if err := <-drained; err != nil {
		t.Fatal(err)
	}
	if len(o.endedSessions()) != 1 {
		t.Error("the orchestrator does not know that the gateway is drained")
	}
	if status, _, _ := n.get("/stream/show.m3u8"); status != http.StatusOK {
		t.Error("players are not served while draining")
	}
}

func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behaviour{resultHang: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := n.tryPush(ctx, "/live/show/0.ts", bytes.NewReader(media))
		ended <- err
	}()
	wait(t, "the segment to be at the orchestrator", func() bool { return o.count(&o.hanging) == 1 })
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the client did not go away")
	}
	wait(t, "the upstream request's end", func() bool { return o.count(&o.canceled) == 1 })
	wait(t, "the failure", func() bool { return n.events.count("failed Canceled") == 1 })
	// The orchestrator is not to blame.
	o.set(behaviour{})
	n.push("/live/show/1.ts", media).want(t, media)
}

func TestClientThatDoesNotWait(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	o.set(behaviour{resultHang: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := n.tryPush(ctx, "/live/show/0.ts", bytes.NewReader(media), "Accept", "*/*")
		ended <- err
	}()
	wait(t, "the segment to be at the orchestrator", func() bool { return o.count(&o.hanging) == 1 })
	cancel()
	<-ended
	o.set(behaviour{})
	close(o.quit) // the orchestrator answers now, with nothing: the gateway tries again
	wait(t, "the segment for players", func() bool { status, _, _ := n.get("/stream/show.m3u8"); return status == http.StatusOK })
}

func TestConcurrentSegmentsOfOneStream(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	const count = 12
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() { n.push(fmt.Sprintf("/live/show/%d.ts", i), media).want(t, media) })
	}
	wg.Wait()
	sessions := map[string]bool{}
	for _, m := range o.seen() {
		sessions[m.Token.GetSessionId()] = true
	}
	if len(sessions) != 1 {
		t.Errorf("one stream used %d sessions", len(sessions))
	}
	_, list, _ := n.get("/stream/show/source.m3u8")
	last := -1
	for line := range strings.Lines(list) {
		var num int
		if _, err := fmt.Sscanf(line, "source/%d.ts", &num); err == nil {
			if num <= last {
				t.Errorf("order:\n%s", list)
			}
			last = num
		}
	}
}

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
	if status != http.StatusOK || seg != string(rendition("P240p30fps16x9", media)) || h.Get("Content-Type") != "video/mp2t" {
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
		if status != http.StatusNotFound || h.Get(gateway.CodeHeader) != string(code) {
			t.Errorf("%s: %d %s, want %s", path, status, h.Get(gateway.CodeHeader), code)
		}
	}
}

func TestStreamsAPI(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	n.push("/live/show/0.ts", media).want(t, media)
	o.set(behaviour{err: "Too many outputs"})
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
	n.clock.forward(time.Hour)
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
