package gateway_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
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
	for event, want := range map[string]int{"created show": 1, "received show": 3, "transcoded show 2 200": 3,
		"uploaded ": 3, "failed": 0, "swapped": 0} {
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
	if status != http.StatusNotFound || h.Get(rpc.CodeHeader) != string(fault.PlaylistFormat) {
		t.Errorf("playlist of MP4 files: %d %s", status, h.Get(rpc.CodeHeader))
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	conf := `{"manifestID":"other","presets":["P720p30fps16x9"],"forceSessionReinit":true,
		"profiles":[{"name":"x","width":320,"height":180,"bitrate":"400k"},{"name":"x","width":160,"height":90,` +
		`"bitrate":1000}]}`
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
